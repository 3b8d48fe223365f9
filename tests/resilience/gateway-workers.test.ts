import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, test } from '@jest/globals';
import { createAuthority } from '../harness/certificates.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { publicCertificate } from '../harness/http2-client.ts';
import { startLoad } from '../harness/load.ts';
import { metricIn, metricOf, metricsOf } from '../harness/metrics.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { running } from '../harness/running.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/* A gateway of two processes (WORKERS=2): one port, one ops port, and every promise of two gateways. */

const path = '/v2/businesses/me';

/** Gateways: one as it comes, one that terminates TLS, one with few connections, which reads from files what its workers get from it. */
const [usual, secure, narrow] = [0, 1, 2];
const fewConnections = 4;

function narrowByFiles(): Record<string, string> {
  const directory = runDirectory().newDirectory('files');
  const values = {
    MAX_CONNECTIONS: `${fewConnections}`,
    OPS_HOST: '127.0.0.1',
    OPS_PORT: '0',
    DRAIN_DELAY_MS: '0',
  };
  const variables = Object.entries(values).flatMap(([name, value]) => {
    writeFileSync(join(directory, name), value);
    return [[name, ''] as const, [`${name}_FILE`, join(directory, name)] as const];
  });
  return Object.fromEntries(variables);
}

const authority = createAuthority();
const certificate = publicCertificate(authority);
const platform = running(() =>
  sharedBehind({
    gateways: 3,
    gatewayEnv: (index) => ({
      WORKERS: '2',
      ...(index === secure && certificate.env),
      ...(index === narrow && narrowByFiles()),
    }),
  }),
);

const [places, limit] = [['1', '2'], 60];
const gateway = (index = usual) => platform.gateways[index];
const port = (index = usual) => platform.gatewayPorts[index] ?? 0;
const ready = async () => request(gateway()?.ports.ops ?? 0, 'GET', '/readyz');
/** Process ids of the workers. */
const workers = (index = usual): number[] =>
  execFileSync('pgrep', ['-P', String(gateway(index)?.pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number);
const ask = (key: string) => platform.request(0, 'GET', path, { key });
const askOften = (key: string, times: number) => Promise.all(Array.from({ length: times }, () => ask(key)));
const statusesOf = async (key: string, times: number) =>
  (await askOften(key, times)).map(({ status }) => status);

test('every worker serves requests, and the ops port reports for all of them', async () => {
  const { keyString } = await platform.createKey();
  expect(new Set(await statusesOf(keyString, 40))).toEqual(new Set([200]));
  // The ops port leaves out a worker that is slow to respond.
  const speaksForAll = async () => {
    const metrics = await metricsOf(gateway());
    for (const worker of places) {
      expect(metricIn(metrics, 'gateway_requests_total', { worker })).toBeGreaterThan(0);
      expect(metricIn(metrics, 'gateway_connections_limit', { worker })).toBe(5_000);
    }
    expect(metrics.match(/^# TYPE gateway_requests_total counter$/gm)).toHaveLength(1);
    const { status, text } = await ready();
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ ready: true, workers: [{ ready: true }, { ready: true }] });
  };
  await expectEventually(speaksForAll, { withinMs: 5_000 });
});

test('workers share the rolling hour, and a deletion ends a key on every worker at once', async () => {
  const key = await platform.createKey();
  await platform.setKeyLimit(key, limit);
  const statuses = await statusesOf(key.keyString, 2 * limit);
  expect(statuses.filter((status) => status === 200)).toHaveLength(limit);
  expect(statuses.filter((status) => status === 429)).toHaveLength(limit);
  await platform.deleteKey(key);
  expect(new Set(await statusesOf(key.keyString, 40))).toEqual(new Set([401]));
});

test('SIGHUP ends no process, and every worker presents the renewed certificate', async () => {
  const { keyString } = await platform.createKey();
  const serialNumber = async () => {
    const socket = connect({ port: port(secure), host: '127.0.0.1', ca: certificate.ca });
    await once(socket, 'secureConnect');
    const { serialNumber: serial } = socket.getPeerCertificate();
    socket.destroy();
    return serial;
  };
  const serials = async () => new Set(await Promise.all(Array.from({ length: 20 }, serialNumber)));
  const [first] = await serials();
  const before = [usual, secure].map((index) => workers(index));
  const renewed = authority.sign(['127.0.0.1']);
  writeFileSync(certificate.env.PUBLIC_TLS_CERT, renewed.cert);
  writeFileSync(certificate.env.PUBLIC_TLS_KEY, renewed.key);
  for (const index of [usual, secure]) process.kill(gateway(index)?.pid ?? 0, 'SIGHUP');
  await expectEventually(
    async () => {
      const presented = await serials();
      expect(presented.size).toBe(1);
      expect(presented).not.toContain(first);
    },
    { withinMs: 10_000 },
  );
  expect(new Set(await statusesOf(keyString, 40))).toEqual(new Set([200]));
  expect([usual, secure].map((index) => workers(index))).toEqual(before);
});

test('connections beyond the limit of a gateway are closed, and the served ones stay open', async () => {
  const { keyString } = await platform.createKey();
  const asking = requestBytes('GET', path, [bearerLine(keyString)]);
  const sockets: Socket[] = [];
  const served = new Set<Socket>();
  const closed = new Set<Socket>();
  try {
    for (let index = 0; index < 3 * fewConnections; index++) {
      const socket = connectTcp(port(narrow), '127.0.0.1').on('error', () => undefined);
      sockets.push(socket.on('data', () => served.add(socket)).on('close', () => closed.add(socket)));
      socket.write(asking);
      await once(socket, 'connect');
    }
    // Before the served ones are idle for too long, and make room.
    await expectEventually(() => expect(new Set([...served, ...closed]).size).toBe(sockets.length), {
      withinMs: 20_000,
    });
    expect(served.size).toBeGreaterThan(0);
    expect(served.size).toBeLessThanOrEqual(fewConnections);
    for (const socket of served) {
      socket.write(asking);
      expect(String(await once(socket, 'data'))).toContain('HTTP/1.1 200 OK');
    }
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test('a worker that is killed under load is replaced, and the other one keeps serving', async () => {
  const { keyString } = await platform.createKey();
  const load = startLoad({ ports: [port()], rate: 40, path, key: keyString });
  const [killed = 0] = workers();
  process.kill(killed, 'SIGKILL');
  await expectEventually(
    async () => {
      expect(workers()).toHaveLength(2);
      expect(workers()).not.toContain(killed);
      expect((await ready()).json()).toMatchObject({ workers: [{ ready: true }, { ready: true }] });
    },
    { withinMs: 20_000 },
  );
  const replacedAt = performance.now();
  await expectEventually(
    () => expect(load.report.successesStartedAfter(replacedAt).length).toBeGreaterThan(20),
    { withinMs: 20_000 },
  );
  const report = await load.stop();
  // What was in flight there, at most as much as the load has open.
  expect(report.failures(200).length).toBeLessThanOrEqual(20);
  const later = report.records.filter(({ startedAt }) => startedAt >= replacedAt);
  expect(new Set(later.map(({ status }) => status))).toEqual(new Set([200]));
});

test('SIGTERM ends every worker after its requests, and frees the ports', async () => {
  const { keyString } = await platform.createKey();
  const before = workers();
  const [business] = platform.businesses;
  business?.freeze();
  const pending = askOften(keyString, 30);
  let exit: Promise<unknown> | undefined;
  try {
    const inFlight = () => metricOf(gateway(), 'gateway_upstream_requests', { upstream: 'business' });
    await expectEventually(async () => expect(await inFlight()).toBe(30), { withinMs: 5_000 });
    exit = gateway()?.stop();
  } finally {
    business?.thaw();
  }
  expect(await exit).toEqual({ code: 0, signal: null });
  expect((await pending).map(({ status }) => status)).toEqual(Array(30).fill(200));
  for (const pid of before) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  await gateway()?.start();
  expect((await ask(keyString)).status).toBe(200);
});

test('workers end with the process that started them', async () => {
  const before = workers(secure);
  await gateway(secure)?.kill();
  await expectEventually(
    () => {
      for (const pid of before) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    },
    { withinMs: 10_000 },
  );
});
