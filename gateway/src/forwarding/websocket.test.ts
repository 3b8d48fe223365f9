import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { createAuthority } from '../../../tests/harness/certificates.ts';
import { expectEventually } from '../../../tests/harness/expect-eventually.ts';
import { openHttp2 } from '../../../tests/harness/http2-client.ts';
import { metricIn } from '../../../tests/harness/metrics.ts';
import {
  closeClients,
  connectTo,
  type HandshakeOptions,
  handshakeBytes,
  openWebSocket,
  readAll,
  readHead,
  sampleKey,
} from '../../testing/websocket-client.ts';
import { GatewayProcess } from '../../testing/websocket-process.ts';
import {
  accept,
  acceptOf,
  echoBytes,
  echoMessages,
  ordinary,
  switching,
  WebSocketUpstream,
} from '../../testing/websocket-upstream.ts';

/* A gateway as a process of its own, between a real upstream and real clients. */

const [key, token, narrow, spent, elsewhere] = ['sk', 'at', 'rk', 'sk', 'rk'].map((prefix) =>
  createCheckedToken(prefix),
) as [string, string, string, string, string];

const certificate = createAuthority().sign(['127.0.0.1']);

let upstream: WebSocketUpstream;
let gateway: GatewayProcess;
let secure: GatewayProcess;
beforeAll(async () => {
  upstream = await WebSocketUpstream.start();
  const options = { upstreamPort: upstream.port };
  [gateway, secure] = await Promise.all([
    GatewayProcess.start(options),
    GatewayProcess.start({ ...options, tls: certificate }),
  ]);
  for (const process of [gateway, secure]) {
    process.allow({
      [key]: { credentialId: 'key_1' },
      [token]: { credentialId: 'grant_1', allowedOrigins: ['https://tool.test'] },
      [narrow]: { outcome: 'scope_denied' },
      [elsewhere]: { outcome: 'ip_denied' },
      [spent]: { credentialId: 'key_2', limitId: 'key_2', limit: 1 },
    });
  }
});
afterEach(() => {
  closeClients();
  upstream.reset();
  upstream.onHandshake = accept(echoBytes);
  upstream.onRequest = ordinary;
  upstream.requests.length = 0;
});
afterAll(() => {
  gateway.kill();
  secure.kill();
  upstream.close();
});

const open = (options: Partial<HandshakeOptions> = {}) =>
  openWebSocket({ port: gateway.port, bearer: key, ...options });

const expectUpstreamEnded = () =>
  expectEventually(
    () => {
      const socket = upstream.handshakes.at(-1)?.socket.resume();
      expect(socket?.readableEnded || socket?.destroyed).toBe(true);
    },
    { withinMs: 1_000 },
  );

/** A WebSocket of Node, as integrators use. */
function client(process: GatewayProcess, scheme = 'ws'): WebSocket {
  const socket = new WebSocket(`${scheme}://127.0.0.1:${process.port}/v2/socket`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  socket.binaryType = 'arraybuffer';
  return socket;
}

const eventOf = <E extends Event>(socket: WebSocket, name: string) =>
  new Promise<E>((resolve) => socket.addEventListener(name, (event) => resolve(event as E), { once: true }));

async function exchangeMessages(socket: WebSocket): Promise<void> {
  await eventOf(socket, 'open');
  for (const message of ['text', 'x'.repeat(70_000)]) {
    socket.send(message);
    expect((await eventOf<MessageEvent>(socket, 'message')).data).toBe(message);
  }
  const bytes = new Uint8Array(1_000_000).map((_, index) => index);
  socket.send(bytes);
  const { data } = await eventOf<MessageEvent>(socket, 'message');
  expect(Buffer.compare(Buffer.from(data), bytes)).toBe(0);
  socket.close(4001, 'done');
  const { code, reason, wasClean } = await eventOf<CloseEvent>(socket, 'close');
  expect({ code, reason, wasClean }).toEqual({ code: 4001, reason: 'done', wasClean: true });
}

test('a client exchanges messages of any size with the upstream, and closes with its code', async () => {
  upstream.onHandshake = accept(echoMessages);
  await exchangeMessages(client(gateway));
});

test('over TLS bytes flow both ways as without', async () => {
  const { socket, status } = await open({ port: secure.port, ca: certificate.ca });
  expect(status).toBe(101);
  const text = 'y'.repeat(1_000_000);
  let received = '';
  socket.on('data', (chunk) => (received += chunk)).write(text);
  await expectEventually(() => expect(received.length).toBe(text.length), { withinMs: 5_000 });
  expect(received === text).toBe(true);
});

test('bytes behind the upstream’s 101 in the same packet reach the client first', async () => {
  upstream.onHandshake = (socket, { headers }) =>
    socket.end(`${switching(acceptOf(headers['sec-websocket-key']))}first`);
  expect(await readAll(await open())).toBe('first');
});

describe('the handshake', () => {
  test('reaches the upstream with the passport and the facts of the gateway, and nothing that the client forges', async () => {
    const { headers } = await open({
      path: '/v2/socket?topic=a',
      lines: [
        'Sec-WebSocket-Protocol: chat, superchat',
        'Sec-WebSocket-Extensions: permessage-deflate',
        'Sec-WebSocket-Version: 99',
        'X-Passport: forged',
        'X_Passport: forged',
        'X-Request-Id: forged',
        'X-Gateway-Secret: forged',
        'X-Forwarded-For: 203.0.113.9',
        'X-Forwarded-Proto: https',
        'Cookie: a=1',
        'Connection: Upgrade, X-Mine',
        'X-Mine: 1',
      ],
    });
    const [request] = upstream.handshakes;
    expect(request?.url).toBe('/v2/socket?topic=a');
    const { host, ...received } = request?.headers ?? {};
    expect(host).toBe(`127.0.0.1:${upstream.port}`);
    expect(received).toEqual({
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': sampleKey,
      'sec-websocket-version': '99',
      'sec-websocket-protocol': 'chat, superchat',
      'sec-websocket-extensions': 'permessage-deflate',
      'x-passport': 'the passport',
      'x-request-id': headers['x-request-id'],
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'api.test',
      'x-forwarded-prefix': '',
    });
  });

  test('gets the upstream’s 101 with what was negotiated and the headers of the gateway, and no others', async () => {
    const chosen = ['Sec-WebSocket-Protocol: chat', 'Sec-WebSocket-Extensions: permessage-deflate'];
    const others = ['Server: x', 'X-Request-Id: theirs', 'Set-Cookie: a=1', 'Content-Length: 5'];
    upstream.onHandshake = accept(echoBytes, ...chosen, ...others);
    const { status, headers } = await open({ bearer: token });
    const { date, 'x-request-id': id, ...rest } = headers;
    expect([status, date !== undefined, /^[\da-f-]{36}$/.test(id ?? '')]).toEqual([101, true, true]);
    expect(rest).toMatchObject({
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-accept': acceptOf(sampleKey),
      'sec-websocket-protocol': 'chat',
      'sec-websocket-extensions': 'permessage-deflate',
      'x-ratelimit-limit': '10000',
    });
    expect(Object.keys(rest)).not.toEqual(expect.arrayContaining(['server']));
    for (const name of ['server', 'set-cookie', 'content-length', 'keep-alive'])
      expect(rest[name]).toBeUndefined();
  });

  test('counts once in the rolling hour, whatever is sent behind it', async () => {
    const remaining = async () => {
      const { socket, headers } = await open();
      socket.write('many bytes');
      return Number(headers['x-ratelimit-remaining']);
    };
    const before = await remaining();
    expect(await remaining()).toBe(before - 1);
  });

  test('may follow other requests on its connection', async () => {
    const over = await connectTo(gateway.port);
    over.write(`GET /v2/plain HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    expect((await readHead(over)).status).toBe(200);
    over.read();
    const opened = await open({ over });
    expect(opened.status).toBe(101);
    opened.socket.end('last');
    expect(await readAll(opened)).toBe('last');
  });

  test('of a page is accepted for the origins of its own application only', async () => {
    const from = (bearer: string, origin: string) => open({ bearer, lines: [`Origin: ${origin}`] });
    const accepted = await from(token, 'https://tool.test');
    expect([accepted.status, accepted.headers['access-control-allow-origin']]).toEqual([
      101,
      'https://tool.test',
    ]);
    for (const [bearer, origin] of [
      [token, 'https://other.test'],
      [token, 'null'],
      // Pages have no keys.
      [key, 'https://tool.test'],
    ] as const) {
      const refused = await from(bearer, origin);
      expect([refused.status, refused.headers.link]).toEqual([
        403,
        '</docs/errors#origin_not_allowed>; rel="help"',
      ]);
      expect(await readAll(refused)).toBe('{"status":"Forbidden","code":403}');
    }
    expect(upstream.handshakes).toHaveLength(1);
  });
});

describe('is refused before the upstream, as any other request, and its connection ends:', () => {
  const error = (text: string, status: string, code: number) => JSON.stringify({ error: text, status, code });
  const forbidden = '{"status":"Forbidden","code":403}';
  test.each<[string, Partial<HandshakeOptions>, number, string]>([
    ['no credential', { bearer: undefined as never }, 401, error('Invalid API key', 'Unauthorized', 401)],
    [
      'an unknown key',
      { bearer: createCheckedToken('sk') },
      401,
      error('Invalid API key', 'Unauthorized', 401),
    ],
    ['a key without the scope', { bearer: narrow }, 403, forbidden],
    ['a key from another address', { bearer: elsewhere }, 403, forbidden],
    ['over http', { lines: ['X-Forwarded-Proto: http'] }, 403, forbidden],
    ['two Authorization headers', { lines: [`Authorization: Bearer ${key}`] }, 400, ''],
    ['two Host headers', { lines: ['Host: api.test', 'Host: b.test'] }, 400, ''],
    ['an expectation', { lines: ['Expect: the-best'] }, 417, ''],
    ['another host', { path: 'http://other.test/v2/socket' }, 421, ''],
    [
      'data behind it',
      { behind: 'GET /v2/plain HTTP/1.1\r\n\r\n' },
      400,
      error('data was sent before the response to the handshake', 'Bad Request', 400),
    ],
  ])('%s', async (_, options, status, body) => {
    const opened = await open(options);
    const { headers } = opened;
    expect([opened.status, headers.connection, headers['content-type']]).toEqual([
      status,
      'close',
      'application/json; charset=utf-8',
    ]);
    const text = await readAll(opened);
    expect(JSON.parse(text)).toMatchObject({ code: status });
    if (body !== '') expect(text).toBe(body);
    expect(upstream.handshakes).toEqual([]);
  });

  test('a rolling hour that is used up', async () => {
    expect((await open({ bearer: spent })).status).toBe(101);
    const refused = await open({ bearer: spent });
    expect([refused.status, refused.headers['retry-after'] === undefined]).toEqual([429, false]);
    expect(upstream.handshakes).toHaveLength(1);
  });
});

describe('a response of the upstream other than 101 is relayed as usual,', () => {
  test('whole, and its connections end', async () => {
    upstream.onHandshake = (socket) =>
      socket.write('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 5\r\nServer: x\r\n\r\nwrong');
    const opened = await open();
    expect([opened.status, opened.headers.connection, opened.headers.server]).toEqual([
      426,
      'close',
      undefined,
    ]);
    expect(await readAll(opened)).toBe('wrong');
    await expectUpstreamEnded();
  });

  test('also a large one to a client that reads late', async () => {
    upstream.onHandshake = (socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n${'z'.repeat(9_000_000)}`);
    const opened = await open();
    opened.socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await readAll(opened)).length).toBe(9_000_000);
  });
});

describe('502', () => {
  test.each([
    ['another value of Sec-WebSocket-Accept', switching('c29tZXRoaW5nIGVsc2U=')],
    ['no Sec-WebSocket-Accept', switching('x').replace(/Sec-WebSocket-Accept.*\r\n/, '')],
    ['two of them', switching(acceptOf(sampleKey), `Sec-WebSocket-Accept: ${acceptOf(sampleKey)}`)],
    ['another protocol', switching(acceptOf(sampleKey)).replace('Upgrade: websocket', 'Upgrade: h2c')],
    ['no Upgrade', switching(acceptOf(sampleKey)).replace('Upgrade: websocket\r\n', '')],
    ['no HTTP', 'NONSENSE\r\n\r\n'],
    ['nothing, and a close', ''],
  ])('for a 101 with, or for, %s; both connections end', async (_, bytes) => {
    upstream.onHandshake = (socket) => void (bytes === '' ? socket.end() : socket.write(`${bytes}smuggled`));
    const opened = await open();
    expect(opened.status).toBe(502);
    expect(await readAll(opened)).toBe(
      '{"error":"the service behind the gateway did not respond","status":"Bad Gateway","code":502}',
    );
    await expectUpstreamEnded();
  });

  test('for a 101 of a route without WebSockets, whatever it proves', async () => {
    upstream.onRequest = (_req, { socket }) =>
      void socket?.write(`${switching(acceptOf(sampleKey))}smuggled`);
    const opened = await open({ path: '/v2/plain' });
    expect([opened.status, await readAll(opened)]).toEqual([502, expect.not.stringContaining('smuggled')]);
  });

  test('becomes 504 for an upstream that says nothing', async () => {
    upstream.onHandshake = () => undefined;
    expect((await open()).status).toBe(504);
    await expectUpstreamEnded();
  });
});

describe('Upgrade is ignored, and the request an ordinary one,', () => {
  test.each<[string, Partial<HandshakeOptions>, string]>([
    ['on a route without WebSockets', { path: '/v2/plain' }, ''],
    ['for another protocol', { lines: ['Upgrade: h2c'] }, ''],
    ['with HEAD', { method: 'HEAD' }, ''],
    ['with POST', { method: 'POST', lines: ['Content-Length: 4'] }, 'body'],
    ['with a body', { lines: ['Content-Length: 4'] }, 'body'],
  ])('%s', async (_, options, behind) => {
    const { status, headers } = await open({ ...options, behind });
    expect([status, headers.connection]).toEqual([200, 'close']);
    expect(upstream.handshakes).toEqual([]);
    expect(upstream.requests.map((request) => request.headers.upgrade)).toEqual([undefined]);
  });

  test('over HTTP/2, which has none', async () => {
    const client = await openHttp2(secure.port, certificate.ca);
    const { status, text } = await client.request('GET', '/v2/socket', { key });
    client.close();
    expect([status, text]).toEqual([200, 'ordinary']);
    expect(upstream.handshakes).toEqual([]);
  });

  test('behind a request whose response has not been sent', async () => {
    const over = await connectTo(gateway.port);
    const bytes = handshakeBytes({ port: gateway.port, bearer: key });
    over.write(`GET /v2/plain HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer ${key}\r\n\r\n${bytes}`);
    const text = await readAll(await readHead(over));
    expect(text).toMatch(/^ordinaryHTTP\/1\.1 200 OK\r\n.*\r\nConnection: close\r\n.*ordinary$/s);
    expect(upstream.handshakes).toEqual([]);
  });
});

test('a WebSocket is one line of the log, one request of the metrics, and one record with the bytes that the client got', async () => {
  const opened = await open();
  opened.socket.end('x'.repeat(12_345));
  await readAll(opened);
  const requestId = opened.headers['x-request-id'];
  await expectEventually(
    async () => {
      const { lines, records, metrics } = await gateway.report();
      const own = { requestId, method: 'GET', path: '/v2/socket', status: 101 };
      expect(lines.filter((line) => line.requestId === requestId)).toMatchObject([
        { ...own, credential: 'key_1', complete: true },
      ]);
      expect(records.filter((record) => record.requestId === requestId)).toMatchObject([
        { status: 101, responseBytes: 12_345, refusal: '' },
      ]);
      expect(
        metricIn(metrics, 'gateway_requests_total', { route: '/v2/socket', status: '101' }),
      ).toBeGreaterThan(0);
      expect(metricIn(metrics, 'gateway_websockets', { upstream: 'shop' })).toBe(0);
    },
    { withinMs: 2_000 },
  );
});
