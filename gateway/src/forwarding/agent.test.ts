import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import { UpstreamAgent, type UpstreamAgentOptions, UpstreamTimeout } from './agent.ts';

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

async function refusedAddress() {
  const probe = createNetServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return { host: '127.0.0.1', port: typeof address === 'object' && address !== null ? address.port : 0 };
}

function createAgent(options: Partial<UpstreamAgentOptions>): UpstreamAgent {
  const agent = new UpstreamAgent({
    addresses: [],
    timeoutMs: 5_000,
    maxConnections: 10,
    maxAgeMs: 60_000,
    ...options,
  });
  closers.push(() => agent.destroy());
  return agent;
}

function get(agent: UpstreamAgent, path = '/'): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: 'upstream', path }, (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => setImmediate(resolve, text));
    });
    sent.on('error', reject).end();
  });
}

test('consecutive requests share a connection', async () => {
  const { seen, address } = await upstream((_req, res) => res.end('ok'));
  const agent = createAgent({ addresses: [address] });
  for (let i = 0; i < 5; i++) expect(await get(agent)).toBe('ok');
  expect(seen.connections).toBe(1);
});

test('concurrent requests get a connection each, up to the limit, and the others wait', async () => {
  const { seen, address } = await upstream((_req, res) => setTimeout(() => res.end('ok'), 10));
  const agent = createAgent({ addresses: [address], maxConnections: 3 });
  const responses = await Promise.all(Array.from({ length: 9 }, () => get(agent)));
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
  const agent = createAgent({ addresses: [address] });
  expect(await get(agent)).toBe('ok');
  await closed[0];
  expect(await get(agent)).toBe('ok');
});

test('an address that refuses connections is skipped', async () => {
  const { address } = await upstream((_req, res) => res.end('ok'));
  const agent = createAgent({ addresses: [await refusedAddress(), address] });
  const responses = await Promise.all([get(agent), get(agent), get(agent), get(agent)]);
  expect(responses).toEqual(Array(4).fill('ok'));
});

test('an old connection gets no further request: behind one name there may be a new replica', async () => {
  const { seen, address } = await upstream((_req, res) => res.end('ok'));
  const agent = createAgent({ addresses: [address], maxAgeMs: 0 });
  for (let i = 0; i < 3; i++) expect(await get(agent)).toBe('ok');
  expect(seen.connections).toBe(3);
});

test('waiting requests get new connections when those before them are old', async () => {
  const { address } = await upstream((_req, res) => setTimeout(() => res.end('ok'), 5));
  const agent = createAgent({ addresses: [address], maxConnections: 2, maxAgeMs: 0 });
  const responses = await Promise.all(Array.from({ length: 9 }, () => get(agent)));
  expect(responses).toEqual(Array(9).fill('ok'));
});

test('one name gets a second attempt to connect: another replica may take it', async () => {
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
  const agent = createAgent({ addresses: [name] });
  expect(await get(agent)).toBe('ok');
  expect(lookups).toBe(2);
});

test('when every address refuses, every request fails, and later ones try again', async () => {
  const address = await refusedAddress();
  const agent = createAgent({ addresses: [address] });
  const failures = await Promise.allSettled([get(agent), get(agent), get(agent)]);
  expect(failures.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  const server = createServer((_req, res) => res.end('back'));
  await new Promise<void>((resolve) => server.listen(address.port, address.host, resolve));
  closers.push(() => server.close());
  expect(await get(agent)).toBe('back');
  server.closeAllConnections();
});

test('a silent upstream times out, and its connection is destroyed', async () => {
  const { seen, address } = await upstream((req, res) => {
    if (req.url === '/quick') res.end('ok');
  });
  const agent = createAgent({ addresses: [address], timeoutMs: 50 });
  await expect(get(agent, '/silent')).rejects.toBeInstanceOf(UpstreamTimeout);
  expect(await get(agent, '/quick')).toBe('ok');
  expect(seen.connections).toBe(2);
});

test('a connection closed by the upstream is not reused', async () => {
  const { seen, server, address } = await upstream((_req, res) => res.end('ok'));
  const agent = createAgent({ addresses: [address] });
  await get(agent);
  server.closeIdleConnections();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await get(agent)).toBe('ok');
  expect(seen.connections).toBe(2);
});

test('a response with Connection: close ends the connection', async () => {
  const { seen, address } = await upstream((_req, res) => res.setHeader('Connection', 'close').end('ok'));
  const agent = createAgent({ addresses: [address] });
  await get(agent);
  await get(agent);
  expect(seen.connections).toBe(2);
});

test('a request destroyed while it waits takes no connection', async () => {
  const { address } = await upstream((_req, res) => setTimeout(() => res.end('ok'), 10));
  const agent = createAgent({ addresses: [address], maxConnections: 1 });
  const first = get(agent);
  const gone = request({ agent, host: 'upstream' });
  gone.on('error', () => undefined).destroy();
  expect(await Promise.all([first, get(agent)])).toEqual(['ok', 'ok']);
});
