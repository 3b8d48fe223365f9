import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createAuthority } from '../harness/certificates.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { openHttp2, publicCertificate } from '../harness/http2-client.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { running } from '../harness/running.ts';
import { scriptedUpstream } from '../harness/scripted-upstream.ts';
import { sharedBehind } from '../harness/shared-platform.ts';
import { namedVariables, startToEnd } from '../harness/start-to-end.ts';

/** Gateways: one as it comes, one with few connections, one that is ended. */
const [usual, narrow, ending] = [0, 1, 2];
const fewConnections = 3;

const authority = createAuthority();
const certificate = publicCertificate(authority);
const upstream = running(scriptedUpstream);
const platform = running(() =>
  sharedBehind({
    gateways: 3,
    upstreams: [upstream.origin],
    gatewayEnv: (index) => ({
      ...certificate.env,
      ...(index === narrow && { MAX_CONNECTIONS: `${fewConnections}` }),
    }),
  }),
);
let key: string;

beforeAll(async () => {
  key = (await platform.createKey()).keyString;
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  upstream.reset();
});

const sockets: TLSSocket[] = [];
const port = (gateway: number) => platform.gatewayPorts[gateway] ?? 0;

/** A connection after its handshake, or undefined where there was none. */
async function open(gateway: number, options: ConnectionOptions = {}): Promise<TLSSocket | undefined> {
  const socket = connect({ port: port(gateway), host: '127.0.0.1', ca: certificate.ca, ...options });
  sockets.push(socket);
  socket.on('error', () => undefined);
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('secureConnect', () => resolve(true)).once('close', () => resolve(false));
  });
  return isOpen ? socket : undefined;
}

describe('configuration', () => {
  const other = publicCertificate(authority);
  const { PUBLIC_TLS_CERT, PUBLIC_TLS_KEY } = certificate.env;
  test.each<[string, Record<string, string>, string]>([
    ['a certificate without a key', { PUBLIC_TLS_CERT }, 'PUBLIC_TLS_KEY'],
    ['a key without a certificate', { PUBLIC_TLS_KEY }, 'PUBLIC_TLS_CERT'],
    ['a file that is not there', { PUBLIC_TLS_CERT: '/nowhere', PUBLIC_TLS_KEY }, 'PUBLIC_TLS_CERT'],
    ['a file of something else', { PUBLIC_TLS_CERT, PUBLIC_TLS_KEY: PUBLIC_TLS_CERT }, 'PUBLIC_TLS_KEY'],
    ['the key of another', { PUBLIC_TLS_CERT, PUBLIC_TLS_KEY: other.env.PUBLIC_TLS_KEY }, 'PUBLIC_TLS_KEY'],
  ])('%s is a named error', async (_, env, name) => {
    const { code, output } = await startToEnd('gateway', { MODE: 'local', ...env });
    expect(code).toBe(78);
    expect(namedVariables(output)).toContain(name);
    expect(output).not.toContain('PRIVATE KEY');
  });
});

describe('connections', () => {
  test.each([
    ['h2 where both do', ['h2', 'http/1.1'], 'h2'],
    ['HTTP/1.1 where the client says so', ['http/1.1'], 'http/1.1'],
    ['HTTP/1.1 where the client says nothing', undefined, false],
  ])('speak %s', async (_, ALPNProtocols, expected) => {
    const socket = await open(usual, ALPNProtocols && { ALPNProtocols });
    expect(socket?.alpnProtocol).toBe(expected);
    if (expected === 'h2') return;
    socket?.write(requestBytes('GET', '/v2/order', [bearerLine(key)]));
    let text = '';
    socket?.on('data', (chunk) => {
      text += chunk;
    });
    await expectEventually(() => expect(text).toContain('HTTP/1.1 200 OK'), { withinMs: 5_000 });
  });

  test('with an old TLS version, without a common protocol or without TLS are closed', async () => {
    expect(await open(usual, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).toBeUndefined();
    expect(await open(usual, { ALPNProtocols: ['spdy/1'] })).toBeUndefined();
    const plain = await rawRequest(port(usual), requestBytes('GET', '/v2/order', [bearerLine(key)]));
    expect(plain).toMatchObject({ closed: true, statuses: [] });
    expect((await open(usual))?.encrypted).toBe(true);
  });

  test('are limited, so that one more is closed at once', async () => {
    const held = [await open(narrow), await open(narrow, { ALPNProtocols: ['h2'] }), await open(narrow)];
    expect(held.map((socket) => socket?.encrypted)).toEqual([true, true, true]);
    expect(await open(narrow)).toBeUndefined();
    held[1]?.destroy();
    const isFree = async () => expect(await open(narrow)).toBeDefined();
    await expectEventually(isFree, { withinMs: 3_000 });
  });

  test('that are silent before, during or after the handshake are cut', async () => {
    const tcp = connectTcp(port(usual), '127.0.0.1').on('error', () => undefined);
    const started = connectTcp(port(usual), '127.0.0.1').on('error', () => undefined);
    // The beginning of a record with a ClientHello of 512 bytes.
    started.write(Buffer.of(0x16, 3, 1, 2, 0, 1));
    const silent = await open(usual, { ALPNProtocols: ['h2'] });
    const areClosed = () =>
      expect([tcp, started, silent].map((socket) => socket?.closed)).toEqual([true, true, true]);
    for (const socket of [tcp, started, silent]) socket?.resume();
    await expectEventually(areClosed, { withinMs: 25_000 });
    expect((await open(usual))?.encrypted).toBe(true);
  });
});

test('a renewed certificate is used, and one that does not match its key or has expired is not', async () => {
  const { PUBLIC_TLS_CERT, PUBLIC_TLS_KEY } = certificate.env;
  const renew = ({ cert, key: keyFile }: { cert: string; key: string }) => {
    writeFileSync(PUBLIC_TLS_CERT, cert);
    writeFileSync(PUBLIC_TLS_KEY, keyFile);
    process.kill(platform.gateways[usual]?.pid ?? 0, 'SIGHUP');
  };
  const serialOf = async () => (await open(usual))?.getPeerCertificate().serialNumber;
  const old = await serialOf();
  const client = openHttp2(port(usual), certificate.ca);
  await client.request('GET', '/v2/order', { key });

  const renewed = publicCertificate(authority);
  renew({ cert: renewed.cert, key: certificate.key });
  const log = platform.gateways[usual]?.logFile ?? '';
  const { readFile } = await import('node:fs/promises');
  const refusedFor = (problem: string) => async () => {
    const lines = (await readFile(log, 'utf8')).split('\n');
    const refusals = lines.filter((line) => line.includes('the new certificate cannot be used'));
    expect(refusals.some((line) => line.includes(problem))).toBe(true);
  };
  await expectEventually(refusedFor('is not the key'), { withinMs: 15_000 });
  expect(await serialOf()).toBe(old);

  renew(authority.sign(['127.0.0.1'], -3_600));
  await expectEventually(refusedFor('has expired'), { withinMs: 15_000 });
  expect(await serialOf()).toBe(old);

  renew(renewed);
  await expectEventually(async () => expect(await serialOf()).not.toBe(old), { withinMs: 15_000 });
  expect((await open(usual, { ALPNProtocols: ['h2'] }))?.alpnProtocol).toBe('h2');
  expect((await client.request('GET', '/v2/order', { key })).status).toBe(200);
  client.close();
});

test('a gateway that shuts down finishes its streams, and clients may retry later ones', async () => {
  const arrival = upstream.next();
  const clients = Array.from({ length: 4 }, () => openHttp2(port(ending), certificate.ca));
  const held = clients[0]?.request('GET', '/v2/order', { key });
  const { res } = await arrival;
  upstream.reset();
  const agent = new Agent({ ca: certificate.ca, keepAlive: true });
  const http1 = httpsRequest({ agent, host: '127.0.0.1', port: port(ending), path: '/v2/order' });
  const [first] = await once(http1.setHeader('Authorization', `Bearer ${key}`).end(), 'response');
  first.resume();

  let isOver = false;
  const outcomes = new Map<string, number>();
  const load = clients.map(async ({ session, request }) => {
    while (!isOver && !session.closed && !session.destroyed) {
      const { status, rstCode } = await request('GET', '/v2/order', { key });
      const outcome = `${status} ${rstCode}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  });
  await expectEventually(() => expect(outcomes.get('200 0')).toBeGreaterThan(50), { withinMs: 10_000 });
  const exit = platform.gateways[ending]?.stop();
  await Promise.all(load);
  isOver = true;
  res.end('late');
  expect(await held).toMatchObject({ status: 200, text: 'late', rstCode: 0 });
  expect(await exit).toEqual({ code: 0, signal: null });
  agent.destroy();
  // 7 is REFUSED_STREAM: nothing was done, and the client may repeat the request.
  expect([...outcomes.keys()].filter((outcome) => !['200 0', '0 7'].includes(outcome))).toEqual([]);
});
