import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { metricOf } from '../harness/metrics.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { parseResponses } from '../harness/raw-responses.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { running } from '../harness/running.ts';
import { scriptedUpstream } from '../harness/scripted-upstream.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/** Gateways: one as it comes, one with few connections, one with few of each client that trusts a proxy. */
const [usual, narrow, perClient] = [0, 1, 2];
const fewConnections = 3;
const proxy = '127.0.0.9';
const environments: readonly Record<string, string>[] = [
  {},
  { MAX_CONNECTIONS: `${fewConnections}` },
  { MAX_CONNECTIONS_PER_CLIENT: `${fewConnections}`, TRUSTED_PROXIES: proxy },
];

const upstream = running(scriptedUpstream);
const platform = running(() =>
  sharedBehind({
    gateways: environments.length,
    upstreams: [upstream.origin],
    gatewayEnv: (index) => environments[index] ?? {},
  }),
);
let key: string;

beforeAll(async () => {
  key = (await platform.createKey()).keyString;
});
afterEach(() => upstream.reset());

const port = (gateway: number) => platform.gatewayPorts[gateway] ?? 0;
const ask = (gateway: number) => platform.request(gateway, 'GET', '/v2/order', { key });
const head = (method: string, path: string, ...lines: string[]) =>
  requestBytes(method, path, [bearerLine(key), ...lines]);

const respondAfterBody: RequestListener = (req, res) => void req.resume().once('end', () => res.end('ok'));

describe('Expect: 100-continue', () => {
  const expecting = (...lines: string[]) => [...lines, 'Expect: 100-continue', 'Content-Length: 5'];

  test('gets its response after authorization, and ends at the gateway', async () => {
    const seen: (string | undefined)[] = [];
    upstream.behave((req, res) => {
      seen.push(req.headers.expect);
      respondAfterBody(req, res);
    });
    const waiting = await rawRequest(port(usual), head('POST', '/v2/order', ...expecting()), {
      quietMs: 300,
    });
    expect(waiting.text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    const whole = await rawRequest(port(usual), [head('POST', '/v2/order', ...expecting()), 'hello'], {
      responses: 2,
    });
    expect(whole.statuses).toEqual([100, 200]);
    // The first one never sent its body, so the upstream never heard of it.
    expect(seen).toEqual([undefined]);
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
  ])('gets no 100 %s, but a %i', async (_, status, bytes) => {
    const raw = await rawRequest(port(usual), bytes(), { quietMs: 300 });
    expect(raw.statuses).toEqual([status]);
    expect(raw.text).toContain('\r\nConnection: close\r\n');
  });

  test.each(['the-best', '100-continue, the-best', ''])(
    'with any other value %j is refused',
    async (expectation) => {
      const raw = await rawRequest(port(usual), head('GET', '/v2/order', `Expect: ${expectation}`));
      expect(raw.statuses).toEqual([417]);
      expect(raw.closed).toBe(true);
    },
  );
});

describe('an upgrade request is handled as an ordinary request, and closes its connection', () => {
  const handshake = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  test.each([
    ['WebSocket', 'GET', ['Connection: Upgrade', 'Upgrade: websocket', ...handshake], ''],
    [
      'HTTP/2',
      'GET',
      ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'],
      '',
    ],
    ['WebSocket', 'POST', ['Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 5'], 'hello'],
  ])('%s, with %s', async (_, method, lines, body) => {
    upstream.behave(respondAfterBody);
    const first = `${head(method, '/v2/order', ...lines)}${body}`;
    const raw = await rawRequest(port(usual), `${first}${head('GET', '/v2/order')}`);
    expect(raw.statuses).toEqual([200]);
    expect(raw.text).toContain('\r\nConnection: close\r\n');
    expect(raw.closed).toBe(true);
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

  test('return the response to a request even if garbage follows it', async () => {
    const arrival = upstream.next();
    const socket = await openSocket(usual);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(head('GET', '/v2/order'));
    const { res } = await arrival;
    res.writeHead(200, { 'Content-Length': '100000' });
    res.write('x'.repeat(50_000));
    await expectEventually(() => expect(text.length).toBeGreaterThan(50_000), { withinMs: 5_000 });
    socket.write('NONSENSE\r\n\r\n');
    socket.write('MORE NONSENSE\r\n\r\n');
    const other = await platform.request(usual, 'GET', '/v2/nothing-here', { key });
    expect(other.status).toBe(404);
    res.end('x'.repeat(50_000));
    await once(socket, 'end');
    const [response, ...more] = parseResponses(text);
    expect(response).toMatchObject({ status: 200, text: 'x'.repeat(100_000) });
    expect(more).toEqual([]);
    expect(text).not.toContain('malformed');
  });

  test('of CONNECT requests are closed, even if the client keeps sending or resets', async () => {
    const connecting = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n';
    const stubborn = await openSocket(usual, { allowHalfOpen: true });
    const resetting = await openSocket(usual);
    stubborn.resume();
    stubborn.write(connecting);
    resetting.write(connecting);
    await once(resetting, 'data');
    resetting.resetAndDestroy();
    await expectEventually(
      () => {
        stubborn.write('x');
        expect(stubborn.destroyed).toBe(true);
      },
      { withinMs: 5_000 },
    );
    expect((await ask(usual)).status).toBe(200);
    expect(platform.gateways[usual]?.isRunning()).toBe(true);
  });

  test('are limited, so that one more is closed at once and the others stay open', async () => {
    const held = [];
    for (let i = 0; i < fewConnections; i++) held.push(await openSocket(narrow));
    const refused = await openSocket(narrow);
    refused.resume();
    await once(refused, 'close');
    held[0]?.write(head('GET', '/v2/order', 'Connection: close'));
    const [response] = await once(held[0] ?? refused, 'data');
    expect(String(response)).toContain('HTTP/1.1 200 OK');
    const isFree = async () => expect((await ask(narrow)).status).toBe(200);
    await expectEventually(isFree, { withinMs: 3_000 });
  });

  test('of one client are limited: one more is closed, and another client is served', async () => {
    const from = async (localAddress: string) => {
      const socket = await openSocket(perClient, { localAddress });
      const statuses: number[] = [];
      socket.on('data', (chunk) => statuses.push(...parseResponses(`${chunk}`).map(({ status }) => status)));
      socket.write(head('GET', '/v2/order'));
      await expectEventually(() => expect(statuses.length > 0 || socket.destroyed).toBe(true), {
        withinMs: 5_000,
      });
      return statuses[0];
    };
    const limit = Array.from({ length: fewConnections }, () => 200);
    const statusesFrom = async (address: string) => [
      ...(await Promise.all(limit.map(() => from(address)))),
      await from(address),
    ];
    expect(await statusesFrom('127.0.0.2')).toEqual([...limit, undefined]);
    expect(await from('127.0.0.3')).toBe(200);
    expect(await statusesFrom(proxy)).toEqual([...limit, 200]);
    const refused = 'gateway_connections_refused_total';
    expect(await metricOf(platform.gateways[perClient], refused, { limit: 'client' })).toBe(1);
    sockets.shift()?.destroy();
    await expectEventually(async () => expect(await from('127.0.0.2')).toBe(200), { withinMs: 5_000 });
  });

  test('that are slow or silent are cut, and idle ones are not', async () => {
    /** Writes a byte now and then until the connection ends. */
    const dribble = async (start: string, rest: string) => {
      const socket = await openSocket(usual);
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
        statuses: parseResponses(text).map(({ status }) => status),
        text,
      };
    };
    const idle = async () => {
      const socket = await openSocket(usual);
      socket.write(head('GET', '/v2/order'));
      await once(socket, 'data');
      await new Promise((resolve) => setTimeout(resolve, 11_500));
      socket.write(head('GET', '/v2/order'));
      const [response] = await once(socket, 'data');
      return String(response);
    };
    const [slowHead, silent, idleResponse] = await Promise.all([
      dribble('GET /v2/order HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'x'.repeat(100)),
      dribble('', ''),
      idle(),
    ]);
    const timeout = '{"error":"the request did not arrive in time","status":"Request Timeout","code":408}';
    for (const cut of [slowHead, silent]) {
      expect(cut.statuses).toEqual([408]);
      expect(cut.text.endsWith(timeout)).toBe(true);
    }
    expect(idleResponse).toContain('HTTP/1.1 200 OK');
  });
});
