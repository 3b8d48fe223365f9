import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { freePort } from '../../../deploy/local/process/free-port.ts';
import { UpstreamAgent, type UpstreamConnectionOptions } from './agent.ts';
import { UpstreamBusy, UpstreamTimeout } from './connect.ts';
import { type PooledConnection, type PooledRequest, UpstreamPool } from './pool.ts';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** An upstream that counts its connections. */
async function upstream(handler: RequestListener) {
  const server = createServer(handler);
  const seen = { connections: 0 };
  server.on('connection', () => seen.connections++);
  return { seen, server, address: { host: '127.0.0.1', port: await listen(server) } };
}

/** An address that nothing listens on, nor will: its port is given to this process alone. */
const refusedAddress = async () => ({ host: '127.0.0.1', port: await freePort() });

/** Requests over either kind of connections. */
interface Connections {
  /** Resolves to the text of the response. */
  get(path?: string): Promise<string>;
  /** Sends a request and destroys it at once. */
  abandon(): void;
}

function overAgent(options: UpstreamConnectionOptions): Connections {
  const agent = new UpstreamAgent(options);
  closers.push(() => agent.destroy());
  const get = (path = '/') =>
    new Promise<string>((resolve, reject) => {
      const sent = request({ agent, host: 'upstream', path }, (response: IncomingMessage) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        response.on('end', () => setImmediate(resolve, text));
      });
      sent.on('error', reject).end();
    });
  const abandon = () => {
    const gone = request({ agent, host: 'upstream' });
    gone.on('error', () => undefined).destroy();
  };
  return { get, abandon };
}

/** A request of a pool, with the promise of its text. */
class TestRequest implements PooledRequest {
  readonly options: PooledRequest['options'];
  readonly text = Promise.withResolvers<string>();
  readonly #pool: UpstreamPool;
  #received = '';
  connection: PooledConnection | undefined;
  isAborted = false;
  readonly isPaused = false;

  constructor(pool: UpstreamPool, path: string) {
    this.#pool = pool;
    this.options = { path, method: 'GET' };
    this.text.promise.catch(() => undefined);
  }

  onRequestStart(): void {}

  onRequestUpgrade(): void {}

  onResponseStart(): void {}

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#received += chunk;
  }

  onResponseEnd(): void {
    queueMicrotask(() => {
      if (this.connection !== undefined) this.#pool.release(this.connection);
      setImmediate(this.text.resolve, this.#received);
    });
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.connection !== undefined) this.#pool.discard(this.connection);
    this.text.reject(error);
  }
}

function overPool(options: UpstreamConnectionOptions): Connections {
  const pool = new UpstreamPool(options);
  closers.push(() => pool.destroy());
  const send = (path: string) => {
    const sent = new TestRequest(pool, path);
    pool.dispatch(sent);
    return sent;
  };
  const abandon = () => {
    send('/').isAborted = true;
  };
  return { get: (path = '/') => send(path).text.promise, abandon };
}

describe.each([
  ['agent', overAgent],
  ['pool', overPool],
])('%s', (_, openConnections) => {
  const open = (options: Partial<UpstreamConnectionOptions>) =>
    openConnections({
      addresses: [],
      timeoutMs: 5_000,
      maxConnections: 10,
      maxWaitMs: 60_000,
      maxAgeMs: 60_000,
      ...options,
    });

  test('consecutive requests share a connection', async () => {
    const { seen, address } = await upstream((_req, res) => res.end('ok'));
    const { get } = open({ addresses: [address] });
    for (let i = 0; i < 5; i++) expect(await get()).toBe('ok');
    expect(seen.connections).toBe(1);
  });

  test('concurrent requests get a connection each, up to the limit, and the others wait', async () => {
    const { seen, address } = await upstream((_req, res) => setTimeout(() => res.end('ok'), 10));
    const { get } = open({ addresses: [address], maxConnections: 3 });
    const responses = await Promise.all(Array.from({ length: 9 }, () => get()));
    expect(responses).toEqual(Array(9).fill('ok'));
    expect(seen.connections).toBe(3);
  });

  test('unsolicited data is not taken for the next response', async () => {
    const { server, address } = await upstream((_req, res) => res.end('ok'));
    const closed: Promise<unknown>[] = [];
    server.on('connection', (socket) => {
      const greet = () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged');
      socket.once('data', () => setImmediate(greet));
      closed.push(new Promise((resolve) => socket.once('close', resolve)));
    });
    const { get } = open({ addresses: [address] });
    expect(await get()).toBe('ok');
    await closed[0];
    expect(await get()).toBe('ok');
  });

  test('an address that refuses connections is skipped', async () => {
    const { address } = await upstream((_req, res) => res.end('ok'));
    const { get } = open({ addresses: [await refusedAddress(), address] });
    const responses = await Promise.all([get(), get(), get(), get()]);
    expect(responses).toEqual(Array(4).fill('ok'));
  });

  test('an old connection gets no further request, since its name may have a new replica', async () => {
    const { seen, address } = await upstream((_req, res) => res.end('ok'));
    const { get } = open({ addresses: [address], maxAgeMs: 0 });
    for (let i = 0; i < 3; i++) expect(await get()).toBe('ok');
    expect(seen.connections).toBe(3);
  });

  test('waiting requests get new connections in place of old ones', async () => {
    const { address } = await upstream((_req, res) => setTimeout(() => res.end('ok'), 5));
    const { get } = open({ addresses: [address], maxConnections: 2, maxAgeMs: 0 });
    const responses = await Promise.all(Array.from({ length: 9 }, () => get()));
    expect(responses).toEqual(Array(9).fill('ok'));
  });

  test('a failed connection to a name is tried once more, since another replica may accept it', async () => {
    const { address } = await upstream((_req, res) => res.end('ok'));
    const refused = await refusedAddress();
    let lookups = 0;
    // As a Service that still has the address of a replica that was killed.
    const name = {
      host: address.host,
      get port() {
        return lookups++ === 0 ? refused.port : address.port;
      },
    };
    const { get } = open({ addresses: [name] });
    expect(await get()).toBe('ok');
    expect(lookups).toBe(2);
  });

  test('when every address refuses, every request fails, and later ones try again', async () => {
    const address = await refusedAddress();
    const { get } = open({ addresses: [address] });
    const failures = await Promise.allSettled([get(), get(), get()]);
    expect(failures.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    const server = createServer((_req, res) => res.end('back'));
    await new Promise<void>((resolve) => server.listen(address.port, address.host, resolve));
    closers.push(() => server.close());
    expect(await get()).toBe('back');
    server.closeAllConnections();
  });

  test('a silent upstream times out, and its connection is destroyed', async () => {
    const { seen, address } = await upstream((req, res) => {
      if (req.url === '/quick') res.end('ok');
    });
    const { get } = open({ addresses: [address], timeoutMs: 2_000 });
    await expect(get('/silent')).rejects.toBeInstanceOf(UpstreamTimeout);
    expect(await get('/quick')).toBe('ok');
    expect(seen.connections).toBe(2);
  });

  test('a connection closed by the upstream is not reused', async () => {
    const { seen, server, address } = await upstream((_req, res) => res.end('ok'));
    const { get } = open({ addresses: [address] });
    await get();
    server.closeIdleConnections();
    // The end stands in the socket already; a turn of the event loop after the next reads it, however late timers are.
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(await get()).toBe('ok');
    expect(seen.connections).toBe(2);
  });

  test('a response with Connection: close ends the connection', async () => {
    const { seen, address } = await upstream((_req, res) => res.setHeader('Connection', 'close').end('ok'));
    const { get } = open({ addresses: [address] });
    await get();
    await get();
    expect(seen.connections).toBe(2);
  });

  test('a request that gets no free connection in time fails, and the request in flight continues', async () => {
    const { address } = await upstream((req, res) => {
      if (req.url === '/quick') res.end('ok');
      else setTimeout(() => res.end('late'), 3_000);
    });
    const { get } = open({ addresses: [address], maxConnections: 1, maxWaitMs: 100 });
    const first = get('/slow');
    await expect(get('/quick')).rejects.toBeInstanceOf(UpstreamBusy);
    expect(await first).toBe('late');
    expect(await get('/quick')).toBe('ok');
  });

  test('a request destroyed while it waits takes no connection', async () => {
    let requests = 0;
    const { address } = await upstream((_req, res) => {
      requests++;
      setTimeout(() => res.end('ok'), 10);
    });
    const { get, abandon } = open({ addresses: [address], maxConnections: 1 });
    const first = get();
    abandon();
    expect(await Promise.all([first, get()])).toEqual(['ok', 'ok']);
    expect(requests).toBe(2);
  });
});
