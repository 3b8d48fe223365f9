import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from '../harness/http-request.ts';
import { metricsOf } from '../harness/metrics.ts';
import { gatewayPatience } from '../harness/patience.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { parseResponses } from '../harness/raw-responses.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { running } from '../harness/running.ts';
import { scriptedUpstream } from '../harness/scripted-upstream.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/** Gateways: one as it comes, one that waits for a silent upstream for a short time only. */
const [usual, impatient] = [0, 1];
const shortMs = 4_000;

const upstream = running(scriptedUpstream);
const platform = running(() =>
  sharedBehind({
    gateways: 2,
    upstreams: [upstream.origin],
    gatewayEnv: (index) => ({
      MAX_BODY_BYTES: String(megabytes * megabyte.length),
      ...(index === impatient && { UPSTREAM_TIMEOUT_MS: `${shortMs}` }),
    }),
  }),
);
let key: string;

beforeAll(async () => {
  key = (await platform.createKey()).keyString;
});
afterEach(() => upstream.reset());

const port = (gateway = usual) => platform.gatewayPorts[gateway] ?? 0;
const ask = (query = '') => request(port(), 'GET', `/v2/order${query}`, { key });

/** Opens a request whose body is still to be written. */
function open(method: string, headers: Record<string, string> = {}, gateway = usual): ClientRequest {
  const options = { host: '127.0.0.1', port: port(gateway), method, path: '/v2/order', agent: false };
  const outgoing = httpRequest({ ...options, headers: { Authorization: `Bearer ${key}`, ...headers } });
  outgoing.on('error', () => undefined);
  return outgoing;
}

const responseTo = async (outgoing: ClientRequest): Promise<IncomingMessage> => {
  const [response] = await once(outgoing, 'response');
  return response;
};

const megabyte = randomBytes(1024 * 1024);
/** Half of it is more than the kernel keeps for two connections on their way: up to 36 MB each. */
const megabytes = 160;
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

/** Writes megabytes until none is taken for a time, or all are written. Returns how many were taken. */
async function writeUntilStuck(sink: Sink, count: number, silenceMs = 300): Promise<number> {
  for (let taken = 0; taken < count; taken++) {
    const written = new Promise<'taken'>((resolve) => sink.write(megabyte, () => resolve('taken')));
    const silence = new Promise<'stuck'>((resolve) => setTimeout(resolve, silenceMs, 'stuck'));
    if ((await Promise.race([written, silence])) === 'stuck') return taken + 1;
  }
  return count;
}

async function writeAll(sink: Sink, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => sink.write(megabyte, resolve));
}

async function gatewayMemory(): Promise<number> {
  const text = await metricsOf(platform.gateways[0]);
  return Number(/^process_resident_memory_bytes\{.*\} (\d+)/m.exec(text)?.[1]) / 1024 / 1024;
}

describe('bodies of any size', () => {
  const framings = [
    ['with a length', { 'Content-Length': `${megabytes * megabyte.length}` }],
    ['chunked', { 'Transfer-Encoding': 'chunked' }],
  ] as const;

  test.each(framings)('an upload is forwarded while it arrives: %s', async (_, headers) => {
    const arrival = upstream.next();
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

  test.each(framings)(
    'a download is forwarded while it arrives, no faster than it is read: %s',
    async (_, headers) => {
      const arrival = upstream.next();
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
    },
  );

  test.each([
    ['without a body', 'GET', ''],
    ['with a body', 'POST', megabyte],
  ] as const)(
    'a download waits for a client that does not read: after a request %s',
    async (_, method, body) => {
      const arrival = upstream.next();
      const outgoing = open(method, { 'Content-Length': `${body.length}` }, impatient);
      outgoing.end(body);
      const { req, res } = await arrival;
      req.resume();
      const [response] = await Promise.all([responseTo(outgoing), writeUntilStuck(res, 1)]);
      response.pause();
      const taken = 1 + (await writeUntilStuck(res, megabytes - 1, 2 * shortMs));
      expect(taken).toBeLessThan(megabytes);
      const received = digest(response);
      await writeAll(res, 1);
      res.end();
      expect(await received).toBe(digestOf(taken + 1));
    },
  );

  test('a stream of events arrives event by event, and its head before the first one', async () => {
    const arrival = upstream.next();
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

  test('a response before the end of the upload reaches the client, and ends the upload', async () => {
    const ended: Promise<unknown>[] = [];
    upstream.behave((req, res) => {
      ended.push(new Promise((resolve) => req.socket.once('close', resolve)));
      res.writeHead(409, { 'Content-Type': 'text/plain' });
      res.end('already there');
    });
    const body = Buffer.concat(Array.from({ length: 16 }, () => megabyte));
    const response = await request(port(), 'POST', '/v2/order', { key, body });
    expect(response).toMatchObject({ status: 409, text: 'already there' });
    await Promise.all(ended);
  });
});

describe('a client that disconnects ends its request', () => {
  /** Fails well before the gateway would give a silent upstream up. */
  const soon = async <T>(happening: Promise<T>): Promise<T> => {
    const late = new Promise<never>((_, reject) => {
      const ms = Number(gatewayPatience.UPSTREAM_TIMEOUT_MS) - 6_000;
      setTimeout(reject, ms, new Error('the upstream still waits')).unref();
    });
    return Promise.race([happening, late]);
  };

  test('before the response', async () => {
    const arrival = upstream.next();
    const outgoing = open('GET');
    outgoing.end();
    const { res } = await arrival;
    outgoing.destroy();
    await soon(once(res, 'close'));
    expect(res.writableFinished).toBe(false);
  });

  test('in the middle of the response', async () => {
    const arrival = upstream.next();
    const outgoing = open('GET');
    outgoing.end();
    const { res } = await arrival;
    res.write('first');
    (await responseTo(outgoing)).destroy();
    await soon(once(res, 'close'));
    expect(res.writableFinished).toBe(false);
  });

  test.each([{ 'Content-Length': '2000000' }, { 'Transfer-Encoding': 'chunked' }])(
    'in the middle of the upload: %p',
    async (headers) => {
      const arrival = upstream.next();
      const outgoing = open('POST', headers);
      outgoing.write(megabyte);
      const { req } = await arrival;
      const broken = expect(digest(req)).rejects.toThrow('aborted');
      outgoing.destroy();
      await soon(broken);
      expect(req.complete).toBe(false);
    },
  );
});

describe('an upstream that dies during its response', () => {
  const die: RequestListener = (req, res) => {
    const size = new URLSearchParams(req.url?.split('?')[1]).get('size');
    res.writeHead(200, size === null ? {} : { 'Content-Length': size });
    res.write('x'.repeat(1_000), () => setTimeout(() => res.destroy(), 20));
  };

  test.each(['', '?size=200000', '?size=2000'])('never looks like a complete response: %s', async (query) => {
    upstream.behave(die);
    const bytes = requestBytes('GET', `/v2/order${query}`, [bearerLine(key)]);
    const raw = await rawRequest(port(), bytes, { quietMs: 3_000 });
    expect(raw.closed || raw.statuses[0] === 502).toBe(true);
    expect(raw.text).not.toMatch(/\r\n0\r\n\r\n$/);
    const [response] = parseResponses(raw.text);
    const length = Number(response?.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    expect(response === undefined || response.status === 502 || response.text.length < length).toBe(true);
    const repeated = await ask(query).then(({ status }) => status, String);
    expect(repeated).toEqual(response?.status === 502 ? 502 : expect.stringMatching(/aborted|hang up/));
  });

  test('does not keep the gateway from serving others', async () => {
    upstream.behave(die);
    await ask().catch(() => undefined);
    upstream.behave((_req, res) => void res.end('well'));
    expect(await ask()).toMatchObject({ status: 200, text: 'well' });
  });

  test('an upstream that closes idle connections costs no request', async () => {
    for (let i = 0; i < 10; i++) {
      expect((await ask()).status).toBe(200);
      upstream.closeIdleConnections();
      expect((await ask()).status).toBe(200);
    }
  });
});
