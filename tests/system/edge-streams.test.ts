import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../harness/eventually.ts';
import { request } from '../harness/http-request.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { plainAnswers } from '../harness/raw-answers.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { startUpstream, type Upstream } from '../harness/upstream.ts';

/** Gateways: one as it comes, one with few connections. */
const [usual, narrow] = [0, 1];
const fewConnections = 3;

let upstream: Upstream;
let platform: Platform;
let key: string;
/** What the upstream does with the next requests. */
let behave: RequestListener = (_req, res) => void res.end('ok');

beforeAll(async () => {
  upstream = await startUpstream((req, res) => behave(req, res));
  platform = await startPlatform({
    gateways: 2,
    upstreams: [upstream.origin],
    gatewayEnv: (index): Record<string, string> =>
      index === narrow ? { MAX_CONNECTIONS: `${fewConnections}` } : {},
  });
  key = (await platform.createKey()).keyString;
});
afterAll(async () => {
  await platform.close();
  await upstream.close();
});
afterEach(() => {
  behave = (_req, res) => void res.end('ok');
});

const port = (gateway: number) => platform.gatewayPorts[gateway] ?? 0;
const authorized = () => ({ Authorization: `Bearer ${key}` });
const head = (method: string, path: string, ...lines: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...lines, '', ''].join('\r\n');

/** Opens a request whose body is still to be written. */
function open(method: string, headers: Record<string, string> = {}): ClientRequest {
  const options = { host: '127.0.0.1', port: port(usual), method, path: '/v2/order', agent: false };
  const outgoing = httpRequest({ ...options, headers: { ...authorized(), ...headers } });
  outgoing.on('error', () => undefined);
  return outgoing;
}

/** The next request that reaches the upstream. */
function nextAtUpstream(): Promise<{ req: IncomingMessage; res: ServerResponse }> {
  return new Promise((resolve) => {
    behave = (req, res) => resolve({ req, res });
  });
}

const responseTo = async (outgoing: ClientRequest): Promise<IncomingMessage> => {
  const [response] = await once(outgoing, 'response');
  return response;
};

const megabyte = randomBytes(1024 * 1024);
const megabytes = 64;
const digestOf = (chunks: number) => {
  const hash = createHash('sha256');
  for (let i = 0; i < chunks; i++) hash.update(megabyte);
  return hash.digest('hex');
};

/** Reads a stream to its end. @throws when it breaks off */
async function digest(stream: IncomingMessage): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}

interface Sink {
  write(chunk: Buffer, done: (error?: Error | null) => void): boolean;
}

/** Writes megabytes until nobody takes them for 300 ms, or all are written. Returns how many were taken. */
async function writeUntilStuck(sink: Sink, count: number): Promise<number> {
  for (let taken = 0; taken < count; taken++) {
    const written = new Promise<'taken'>((resolve) => sink.write(megabyte, () => resolve('taken')));
    const silence = new Promise<'stuck'>((resolve) => setTimeout(resolve, 300, 'stuck'));
    if ((await Promise.race([written, silence])) === 'stuck') return taken + 1;
  }
  return count;
}

async function writeAll(sink: Sink, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => sink.write(megabyte, resolve));
}

async function gatewayMemory(): Promise<number> {
  const { text } = await request(platform.gateways[usual]?.ports.ops ?? 0, 'GET', '/metrics');
  return Number(/^process_resident_memory_bytes\{.*\} (\d+)/m.exec(text)?.[1]) / 1024 / 1024;
}

describe('bodies of any size', () => {
  const framings = [
    ['with a length', { 'Content-Length': `${megabytes * megabyte.length}` }],
    ['chunked', { 'Transfer-Encoding': 'chunked' }],
  ] as const;

  test.each(framings)('an upload passes as it comes: %s', async (_, headers) => {
    const arrival = nextAtUpstream();
    const outgoing = open('POST', headers);
    outgoing.write(megabyte);
    const { req, res } = await arrival;
    const [firstBytes] = await once(req, 'data');
    expect(firstBytes.length).toBeGreaterThan(0);
    req.pause();
    req.unshift(firstBytes);

    const taken = 1 + (await writeUntilStuck(outgoing, megabytes - 1));
    expect(taken).toBeLessThan(megabytes / 2);
    const received = digest(req);
    await writeAll(outgoing, megabytes - taken);
    outgoing.end();
    expect(await received).toBe(digestOf(megabytes));
    expect(await gatewayMemory()).toBeLessThan(250);
    res.end('stored');
    const response = await responseTo(outgoing);
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  test.each(framings)('a download passes as it comes, no faster than it is read: %s', async (_, headers) => {
    const arrival = nextAtUpstream();
    const outgoing = open('GET');
    outgoing.end();
    const { res } = await arrival;
    res.writeHead(200, headers);
    const [response] = await Promise.all([responseTo(outgoing), writeUntilStuck(res, 1)]);
    response.pause();
    const taken = 1 + (await writeUntilStuck(res, megabytes - 1));
    expect(taken).toBeLessThan(megabytes / 2);
    const received = digest(response);
    await writeAll(res, megabytes - taken);
    res.end();
    expect(await received).toBe(digestOf(megabytes));
    expect(await gatewayMemory()).toBeLessThan(250);
  });

  test('a stream of events arrives event by event, and its head before the first one', async () => {
    const arrival = nextAtUpstream();
    const outgoing = open('GET', { Accept: 'text/event-stream' });
    outgoing.end();
    const { res } = await arrival;
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    res.flushHeaders();
    const response = await responseTo(outgoing);
    expect(response.headers['content-type']).toBe('text/event-stream');
    for (const event of ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']) {
      res.write(event);
      const [received] = await once(response, 'data');
      expect(String(received)).toBe(event);
    }
    response.resume();
    res.end();
    await once(response, 'end');
    expect(response.complete).toBe(true);
  });

  test('an answer before the end of the upload reaches the caller, and ends the upload', async () => {
    const ended: Promise<unknown>[] = [];
    behave = (req, res) => {
      ended.push(new Promise((resolve) => req.socket.once('close', resolve)));
      res.writeHead(409, { 'Content-Type': 'text/plain' });
      res.end('already there');
    };
    const body = Buffer.concat(Array.from({ length: 16 }, () => megabyte));
    const answer = await platform.request(usual, 'POST', '/v2/order', { key, body });
    expect(answer).toMatchObject({ status: 409, text: 'already there' });
    await Promise.all(ended);
  });
});

describe('a caller that goes away takes its request along', () => {
  /** Fails when it takes longer than two seconds. */
  const soon = async <T>(happening: Promise<T>): Promise<T> => {
    const late = new Promise<never>((_, reject) => {
      setTimeout(reject, 2_000, new Error('the upstream still waits')).unref();
    });
    return Promise.race([happening, late]);
  };

  test('before the answer', async () => {
    const arrival = nextAtUpstream();
    const outgoing = open('GET');
    outgoing.end();
    const { res } = await arrival;
    outgoing.destroy();
    await soon(once(res, 'close'));
    expect(res.writableFinished).toBe(false);
  });

  test('in the middle of the answer', async () => {
    const arrival = nextAtUpstream();
    const outgoing = open('GET');
    outgoing.end();
    const { res } = await arrival;
    res.write('first');
    (await responseTo(outgoing)).destroy();
    await soon(once(res, 'close'));
    expect(res.writableFinished).toBe(false);
  });

  test.each([{ 'Content-Length': '100' }, { 'Transfer-Encoding': 'chunked' }])(
    'in the middle of the upload: %p',
    async (headers) => {
      const arrival = nextAtUpstream();
      const outgoing = open('POST', headers);
      outgoing.write('half');
      const { req } = await arrival;
      const broken = expect(digest(req)).rejects.toThrow('aborted');
      outgoing.destroy();
      await soon(broken);
      expect(req.complete).toBe(false);
    },
  );
});

describe('an upstream that dies in the middle of its answer', () => {
  const die: RequestListener = (req, res) => {
    const size = new URLSearchParams(req.url?.split('?')[1]).get('size');
    res.writeHead(200, size === null ? {} : { 'Content-Length': size });
    res.write('x'.repeat(1_000), () => setTimeout(() => res.destroy(), 20));
  };

  test.each(['', '?size=200000', '?size=2000'])('never ends as a success: %s', async (query) => {
    behave = die;
    const raw = await rawRequest(port(usual), head('GET', `/v2/order${query}`), { quietMs: 3_000 });
    expect(raw.closed).toBe(true);
    expect(raw.text).not.toMatch(/\r\n0\r\n\r\n$/);
    const [answer] = plainAnswers(raw.text);
    const length = Number(answer?.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    expect(answer === undefined || answer.status === 502 || answer.text.length < length).toBe(true);
    await expect(request(port(usual), 'GET', `/v2/order${query}`, { key })).rejects.toThrow(
      /aborted|hang up/,
    );
  });

  test('leaves the gateway able to answer others', async () => {
    behave = die;
    await request(port(usual), 'GET', '/v2/order', { key }).catch(() => undefined);
    behave = (_req, res) => void res.end('well');
    expect(await request(port(usual), 'GET', '/v2/order', { key })).toMatchObject({
      status: 200,
      text: 'well',
    });
  });

  test('an upstream that closes idle connections costs no request', async () => {
    for (let i = 0; i < 10; i++) {
      expect((await request(port(usual), 'GET', '/v2/order', { key })).status).toBe(200);
      upstream.closeIdleConnections();
      await eventually(
        async () => expect((await request(port(usual), 'GET', '/v2/order', { key })).status).toBe(200),
        {
          withinMs: 0,
        },
      );
    }
  });
});

describe('Expect: 100-continue', () => {
  const expecting = (...lines: string[]) => [...lines, 'Expect: 100-continue', 'Content-Length: 5'];

  test('is answered after authorization, and ends at the gateway', async () => {
    const seen: (string | undefined)[] = [];
    behave = (req, res) => {
      seen.push(req.headers.expect);
      digest(req).then(
        () => res.end('ok'),
        () => undefined,
      );
    };
    const waiting = await rawRequest(port(usual), head('POST', '/v2/order', ...expecting()), {
      quietMs: 300,
    });
    expect(waiting.text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    const whole = await rawRequest(port(usual), [head('POST', '/v2/order', ...expecting()), 'hello']);
    expect(whole.statuses).toEqual([100, 200]);
    expect(seen).toEqual([undefined, undefined]);
  });

  test.each([
    ['without a credential', 401, () => head('POST', '/v2/order', ...expecting()).replace(key, 'nonsense')],
    ['on a route that is not there', 404, () => head('POST', '/v2/nothing-here', ...expecting())],
    ['with a method that is not there', 405, () => head('DELETE', '/v2/order', ...expecting())],
    [
      'with a body that is too large',
      413,
      () => head('POST', '/v2/order', 'Expect: 100-continue', 'Content-Length: 999999999999'),
    ],
  ])('%s the answer is %i, without 100', async (_, status, bytes) => {
    const raw = await rawRequest(port(usual), bytes(), { quietMs: 300 });
    expect(raw.statuses).toEqual([status]);
    expect(raw.text).toContain('\r\nConnection: close\r\n');
  });

  test('an expectation that nobody knows is no reason to refuse', async () => {
    const raw = await rawRequest(
      port(usual),
      head('GET', '/v2/order', 'Expect: the-best', 'Connection: close'),
    );
    expect(raw.statuses).toEqual([200]);
  });
});

describe('connections', () => {
  const sockets: Socket[] = [];
  const openSocket = async (gateway: number, options = {}): Promise<Socket> => {
    const socket = connect({ port: port(gateway), host: '127.0.0.1', ...options });
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  test('garbage behind a request neither stains nor shortens its answer', async () => {
    const arrival = nextAtUpstream();
    const socket = await openSocket(usual);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(head('GET', '/v2/order'));
    const { res } = await arrival;
    res.writeHead(200, { 'Content-Length': '100000' });
    res.write('x'.repeat(50_000));
    await eventually(() => expect(text.length).toBeGreaterThan(50_000), { withinMs: 5_000 });
    socket.write('NONSENSE\r\n\r\n');
    socket.write('MORE NONSENSE\r\n\r\n');
    const other = await platform.request(usual, 'GET', '/v2/nothing-here', { key });
    expect(other.status).toBe(404);
    res.end('x'.repeat(50_000));
    await once(socket, 'end');
    const [answer, ...more] = plainAnswers(text);
    expect(answer).toMatchObject({ status: 200, text: 'x'.repeat(100_000) });
    expect(more).toEqual([]);
    expect(text).not.toContain('malformed');
  });

  test('CONNECT, and then a stubborn client or a reset, costs nothing', async () => {
    const connecting = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n';
    const stubborn = await openSocket(usual, { allowHalfOpen: true });
    const resetting = await openSocket(usual);
    stubborn.resume();
    stubborn.write(connecting);
    resetting.write(connecting);
    await once(resetting, 'data');
    resetting.resetAndDestroy();
    await eventually(
      () => {
        stubborn.write('x');
        expect(stubborn.destroyed).toBe(true);
      },
      { withinMs: 5_000 },
    );
    expect((await request(port(usual), 'GET', '/v2/order', { key })).status).toBe(200);
    expect(platform.gateways[usual]?.isRunning()).toBe(true);
  });

  test('there are only so many: one more is closed at once, and the others live on', async () => {
    const held = [];
    for (let i = 0; i < fewConnections; i++) held.push(await openSocket(narrow));
    const refused = await openSocket(narrow);
    refused.resume();
    await once(refused, 'close');
    held[0]?.write(head('GET', '/v2/order', 'Connection: close'));
    const [answer] = await once(held[0] ?? refused, 'data');
    expect(String(answer)).toContain('HTTP/1.1 200 OK');
    await eventually(
      async () => expect((await request(port(narrow), 'GET', '/v2/order', { key })).status).toBe(200),
      {
        withinMs: 3_000,
      },
    );
  });

  test('slow and silent ones are cut after ten seconds; a slow body and an idle connection are not', async () => {
    /** Writes a byte now and then until the connection ends. */
    const dribble = async (start: string, rest: string) => {
      const socket = await openSocket(usual);
      const startedAt = performance.now();
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.write(start);
      const bytes = [...rest];
      const timer = setInterval(() => socket.write(bytes.shift() ?? ''), 400);
      await once(socket, 'close');
      clearInterval(timer);
      return {
        statuses: plainAnswers(text).map(({ status }) => status),
        text,
        ms: performance.now() - startedAt,
      };
    };
    const idle = async () => {
      const socket = await openSocket(usual);
      socket.write(head('GET', '/v2/order'));
      await once(socket, 'data');
      await new Promise((resolve) => setTimeout(resolve, 11_500));
      socket.write(head('GET', '/v2/order'));
      const [answer] = await once(socket, 'data');
      return String(answer);
    };
    behave = (req, res) =>
      void digest(req).then(
        () => res.end('ok'),
        () => undefined,
      );
    const slowBody = 'Content-Length: 29';
    const [slowHead, silent, slowUpload, idleAnswer] = await Promise.all([
      dribble('GET /v2/order HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'x'.repeat(100)),
      dribble('', ''),
      dribble(head('POST', '/v2/order', slowBody, 'Connection: close'), 'x'.repeat(29)),
      idle(),
    ]);
    const timeout = '{"error":"the request did not arrive in time","status":"Request Timeout","code":408}';
    for (const cut of [slowHead, silent]) {
      expect(cut.statuses).toEqual([408]);
      expect(cut.text.endsWith(timeout)).toBe(true);
      expect(cut.ms).toBeGreaterThan(9_500);
      expect(cut.ms).toBeLessThan(13_500);
    }
    expect(slowUpload.statuses).toEqual([200]);
    expect(slowUpload.ms).toBeGreaterThan(11_000);
    expect(idleAnswer).toContain('HTTP/1.1 200 OK');
  });
});
