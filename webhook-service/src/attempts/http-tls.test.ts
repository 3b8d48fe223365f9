import { execFile } from 'node:child_process';
import tls from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createAuthority } from '../../../tests/harness/certificates.ts';
import { type Receiver, respondWith, response, startReceiver } from '../../testing/receiver.ts';
import { createSender, type Sender } from './http-attempt.ts';

const run = promisify(execFile);
const authority = createAuthority();
const trusted = tls.getCACertificates('default');

beforeAll(() => tls.setDefaultCACertificates([...trusted, authority.sign(['ca']).ca]));
afterAll(() => tls.setDefaultCACertificates(trusted));

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const resource of open.splice(0).toReversed()) await resource.close();
});

type Certificate = ReturnType<typeof authority.sign>;

async function receiver(certificate?: Certificate, headers: readonly string[] = []): Promise<Receiver> {
  const started = await startReceiver({
    ...(certificate === undefined ? {} : { tls: { cert: certificate.cert, key: certificate.key } }),
    onData: respondWith(response(200, 'ok', headers)),
  });
  open.push(started);
  return started;
}

const rules = { allowedNetworks: [], allowedPorts: new Set([443]), allowsLoopback: true };
const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' };

function send(port: number, from?: Sender) {
  const sender = from ?? createSender({ rules, limitMs: 15_000 });
  if (from === undefined) open.push(sender);
  const { signal } = new AbortController();
  return sender.sendAttempt({ url: `https://localhost:${port}/`, headers, body: '{}', signal });
}

test('a certificate from a trusted authority for the host of the URL is accepted', async () => {
  const target = await receiver(authority.sign(['localhost']));
  expect(await send(target.port)).toMatchObject({ outcome: 'delivered', responseStart: 'ok' });
});

test('TLS connections are used again', async () => {
  const target = await receiver(authority.sign(['localhost']));
  const sender = createSender({ rules, limitMs: 15_000 });
  open.push(sender);
  for (let count = 0; count < 3; count++) await send(target.port, sender);
  expect(target.connections).toBe(1);
});

test('a new connection resumes no TLS session, since Node verifies the name only for the first one', async () => {
  const target = await receiver(authority.sign(['localhost']), ['Connection: close']);
  const sender = createSender({ rules, limitMs: 15_000 });
  open.push(sender);
  for (let count = 0; count < 3; count++) await send(target.port, sender);
  expect([target.connections, target.resumed]).toEqual([3, 0]);
});

test.each<[string, Certificate, string]>([
  ['another name', authority.sign(['hooks.example']), 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [
    'an authority that is not trusted',
    createAuthority().sign(['localhost']),
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ],
  ['an end in the past', authority.sign(['localhost'], -60), 'CERT_HAS_EXPIRED'],
])('a certificate with %s is refused, and the receiver sees no byte', async (_, certificate, errorCode) => {
  const target = await receiver(certificate);
  expect(await send(target.port)).toMatchObject({ outcome: 'tls_failed', errorCode, status: undefined });
  expect(target.received).toBe('');
});

test('a server without TLS is refused', async () => {
  const target = await receiver();
  const plain = await startReceiver({ onData: (socket) => socket.write('HTTP/1.1 400 x\r\n\r\n') });
  open.push(plain);
  expect(await send(plain.port)).toMatchObject({ outcome: 'tls_failed' });
  expect(plain.received).not.toContain('evt_1');
  expect(target.connections).toBe(0);
});

test('environment variables can neither disable verification nor choose a proxy', async () => {
  const [target, untrusted, proxy] = [
    await receiver(authority.sign(['localhost'])),
    await receiver(createAuthority().sign(['localhost'])),
    await receiver(),
  ];
  const address = `http://127.0.0.1:${proxy.port}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  const proxies = Object.fromEntries(names.map((name) => [name, address]));
  const program = `
    import tls from 'node:tls';
    import { createSender } from ${JSON.stringify(new URL('http-attempt.ts', import.meta.url))};
    tls.setDefaultCACertificates([${JSON.stringify(authority.sign(['ca']).ca)}]);
    const rules = { allowedNetworks: [], allowedPorts: new Set(), allowsLoopback: true };
    const sender = createSender({ rules, limitMs: 15_000 });
    const outcomes = [];
    for (const url of process.argv.slice(1)) {
      const attempt = { url, headers: ${JSON.stringify(headers)}, body: '{}', signal: new AbortController().signal };
      outcomes.push((await sender.sendAttempt(attempt)).outcome);
    }
    console.log(outcomes.join());
    sender.close();
  `;
  const { stdout } = await run(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      program,
      `https://localhost:${target.port}/`,
      `https://localhost:${untrusted.port}/`,
      `http://localhost:${proxy.port}/`,
    ],
    { env: { ...proxies, NODE_USE_ENV_PROXY: '1', NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
  );
  expect(stdout.trim()).toBe('delivered,tls_failed,delivered');
  // The plain request is the proxy's own; one through it would name a whole URL.
  expect(proxy.received).toContain('POST / HTTP/1.1');
  expect(proxy.connections).toBe(1);
});
