import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'node:tls';
import { expect, test } from '@jest/globals';
import { type Certificate, createAuthority } from '../harness/certificates.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { startLoad } from '../harness/load.ts';
import { metricOf } from '../harness/metrics.ts';
import { startProduction } from '../harness/production.ts';
import { running } from '../harness/running.ts';
import { spawnService, type TestService } from '../harness/service.ts';

/** Certificates between services are renewed in their files while everything runs. */

const within = { withinMs: 60_000 };

/** Seconds of the certificate that expires during the test. */
const shortSeconds = 30;

const names = ['gateway', 'identity-service', 'business-service', 'webhook-service'] as const;

type Name = (typeof names)[number];

const authority = createAuthority();
const files = Object.fromEntries(
  names.map((name) => [name, authority.issue(['127.0.0.1', name])]),
) as Readonly<Record<Name, Certificate>>;
const services = new Map<string, TestService>();
const serviceOf = (name: Name): TestService => {
  const service = services.get(name);
  if (service === undefined) throw new Error(`${name} was not started`);
  return service;
};

const platform = running(async () =>
  startProduction({
    host: '127.0.0.1',
    start: async (service, env) => {
      const started = await spawnService(service, env);
      services.set(service, started);
      return { stop: started.kill };
    },
    env: authority.issue(['127.0.0.1', 'admin']).env,
    envOf: Object.fromEntries(names.map((name) => [name, files[name].env])),
  }),
);

const secondsLeft = async (name: Name) =>
  (await metricOf(serviceOf(name), 'tls_certificate_expiry_seconds', { file: 'GRPC_TLS_CERT' })) ?? 0;

const renewedLine = 'certificate between services renewed';

const linesWith = (name: Name, text: string) =>
  readFileSync(serviceOf(name).logFile, 'utf8').split(text).length - 1;

type Parts = Partial<Pick<Certificate, 'ca' | 'cert' | 'key'>>;

function write(name: Name, { ca, cert, key }: Parts): void {
  const { env } = files[name];
  if (ca !== undefined) writeFileSync(env.GRPC_TLS_CA, ca);
  if (cert !== undefined) writeFileSync(env.GRPC_TLS_CERT, cert);
  if (key !== undefined) writeFileSync(env.GRPC_TLS_KEY, key);
  process.kill(serviceOf(name).pid, 'SIGHUP');
}

/** Writes new files for a service, and waits until it has loaded them. */
async function renewOne(name: Name, parts: Parts): Promise<void> {
  const before = linesWith(name, renewedLine);
  write(name, parts);
  await expectEventually(() => expect(linesWith(name, renewedLine)).toBe(before + 1), within);
}

/** The same for every service, one after the other. */
async function renew(partsOf: (name: Name) => Parts): Promise<void> {
  for (const name of names) await renewOne(name, partsOf(name));
}

/** A certificate and its key without its authority. */
const signed = (name: Name, by = authority, seconds?: number): Parts => {
  const { cert, key } = by.sign(['127.0.0.1', name], seconds);
  return { cert, key };
};

/** Waits until the gateway finds identity-service there (1) or gone (0). */
const expectIdentity = (up: 0 | 1) =>
  expectEventually(async () => {
    const labels = { dependency: 'identity-service' };
    expect(await metricOf(serviceOf('gateway'), 'dependency_up', labels)).toBe(up);
  }, within);

/** Fingerprint of the certificate that a port presents. */
const presented = (port: number) =>
  new Promise<string>((resolve, reject) => {
    const { ca, cert, key } = authority.sign(['127.0.0.1', 'gateway']);
    const socket = connect({ host: '127.0.0.1', port, ca, cert, key, ALPNProtocols: ['h2', 'http/1.1'] });
    socket.once('secureConnect', () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
  });

const serverPorts = {
  gateway: [],
  'identity-service': ['identityHttp', 'identityGrpc'],
  'business-service': ['businessHttp', 'businessGrpc'],
  'webhook-service': ['webhookGrpc'],
} as const;

/** Fingerprints at the ports of a service. */
const presentedBy = (name: Name) =>
  Promise.all(serverPorts[name].map((port) => presented(platform.ports[port])));

/** Requests of an API key and of a page while `run` works. None may fail. */
async function underLoad(run: () => Promise<void>): Promise<void> {
  const { ports, key } = platform;
  const loads = [
    startLoad({ ports: [ports.gateway], path: '/v2/businesses/me', rate: 8, key }),
    startLoad({ ports: [ports.gateway], path: '/login', rate: 3 }),
  ];
  try {
    await run();
  } finally {
    await Promise.all(loads.map(({ stop }) => stop()));
  }
  for (const { report } of loads) expect(report.counts()).toEqual({ 200: report.records.length });
}

test('without a failed request, and expired ones are used nowhere', async () => {
  await underLoad(async () => {
    let expiresAt = 0;
    // One after the other: on a busy machine each has the time of its own certificate.
    const before = new Map<Name, readonly (readonly string[])[]>();
    for (const name of names) {
      const first = await presentedBy(name);
      await renewOne(name, signed(name, authority, shortSeconds));
      expiresAt = Date.now() + shortSeconds * 1_000;
      expect(await secondsLeft(name)).toBeLessThanOrEqual(shortSeconds);
      before.set(name, [first, await presentedBy(name)]);
      await renewOne(name, signed(name));
      expect(await secondsLeft(name)).toBeGreaterThan(80_000);
    }
    // As long as it takes: the date of a machine may be put back.
    while (Date.now() <= expiresAt + 1_000) await pause(100);
    for (const name of names) {
      const all = [...(before.get(name) ?? []), await presentedBy(name)];
      for (const port of serverPorts[name].keys()) expect(new Set(all.map((of) => of[port])).size).toBe(3);
    }
  });
});

test('files that cannot be used are logged once, and the old certificate stays in use', async () => {
  const name = 'identity-service';
  const unusable = 'the new certificate between services cannot be used';
  const before = await presented(platform.ports.identityGrpc);
  const inUse = readFileSync(files[name].env.GRPC_TLS_KEY, 'utf8');
  const expired = signed(name, authority, -60);
  let logged = linesWith(name, unusable);
  for (const parts of [{ cert: expired.cert, key: inUse }, { ...expired, cert: 'garbage' }, expired]) {
    write(name, parts as Parts);
    logged += 1;
    await expectEventually(() => expect(linesWith(name, unusable)).toBe(logged), within);
    expect(await presented(platform.ports.identityGrpc)).toBe(before);
  }
  const renewed = linesWith(name, renewedLine);
  write(name, signed(name));
  await expectEventually(() => expect(linesWith(name, renewedLine)).toBe(renewed + 1), within);
  expect(linesWith(name, unusable)).toBe(logged);
  expect(await presented(platform.ports.identityGrpc)).not.toBe(before);
  expect(await secondsLeft(name)).toBeGreaterThan(80_000);
});

test('the authority is replaced without a failed request, and clients that go on present what it signed', async () => {
  const { ports, key } = platform;
  const next = createAuthority();
  const { ca } = next.sign([]);
  await underLoad(async () => {
    await renew((name) => ({ ca: files[name].ca + ca }));
    await renew((name) => signed(name, next));
    await renew(() => ({ ca }));
  });
  await expect(presented(ports.identityGrpc)).rejects.toThrow();
  // A new server, which trusts the new authority alone: by gRPC and by HTTP.
  await serviceOf('identity-service').stop();
  await expectIdentity(0);
  await serviceOf('identity-service').start();
  // By gRPC: the key below is in the gateway's cache.
  await expectIdentity(1);
  const working = async () => {
    const statuses = [
      (await request(ports.gateway, 'GET', '/v2/businesses/me', { key })).status,
      (await request(ports.gateway, 'GET', '/login')).status,
    ];
    expect(statuses).toEqual([200, 200]);
  };
  await expectEventually(working, within);
});
