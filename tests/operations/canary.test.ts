import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { reportOf, roundsAfter } from '../harness/canary.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { linesOf } from '../harness/log-lines.ts';
import { metricOf } from '../harness/metrics.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { spawnService, type TestService } from '../harness/service.ts';

/** The canary measures the promises of a running platform, and names the gateway and the request that break one. */

const within = { withinMs: 30_000 };

/** Milliseconds for which the late gateway goes on. */
const keptMs = 2_000;

/** A gateway that, while it is late, goes on with a key that has ended for two seconds after it was last admitted. */
async function startLate(port: number) {
  const late = { isOn: false };
  const admittedAt = new Map<string, number>();
  const server = createServer(async (req, res) => {
    const key = req.headers.authorization?.slice('Bearer '.length) ?? '';
    const { status, headers, text } = await request(port, 'GET', req.url ?? '/', { key });
    if (status === 200) admittedAt.set(key, Date.now());
    const isKept = late.isOn && status === 401 && Date.now() - (admittedAt.get(key) ?? 0) < keptMs;
    res.writeHead(isKept ? 200 : status, { 'X-Request-Id': headers['x-request-id'] }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { late, port: (server.address() as AddressInfo).port, close: () => server.close() };
}

let platform: Platform;
let lateGateway: Awaited<ReturnType<typeof startLate>>;
let canary: TestService;
let businessId: number;
beforeAll(async () => {
  platform = await startPlatform({ gateways: 2, identityEnv: { PUBLIC_PROMISES: 'on' } });
  const [first = 0, second = 0] = platform.gatewayPorts;
  lateGateway = await startLate(second);
  businessId = await platform.createBusiness('canary');
  canary = await spawnService('canary', {
    IDENTITY_GRPC_TARGET: platform.targets.identity,
    GATEWAY_ORIGINS: `http://localhost:${first},http://127.0.0.1:${lateGateway.port}`,
    CANARY_BUSINESS_ID: String(businessId),
    CANARY_INTERVAL_MS: '100',
  });
});
afterAll(async () => {
  await canary?.stop();
  lateGateway?.close();
  await platform?.close();
});

test('every gateway of a working platform is measured without a violation', async () => {
  const { revocation, rollingHour, violations } = await roundsAfter(canary, 3);
  expect(violations).toEqual([]);
  const replicas = [`127.0.0.1:${platform.gatewayPorts[0]}`, `127.0.0.1:${lateGateway.port}`];
  expect(revocation.map(({ replica }) => replica)).toEqual(expect.arrayContaining(replicas));
  expect(rollingHour.admitted).toBeGreaterThan(0);
  expect(rollingHour.admitted).toBeLessThanOrEqual(rollingHour.limit);
});

test('the canary uses two keys, regardless of the number of rounds', async () => {
  const apiKeys = await platform.listKeys(businessId);
  expect(apiKeys).toHaveLength(2);
});

test('a gateway that keeps authorizations two seconds too long is reported with a request', async () => {
  lateGateway.late.isOn = true;
  // Of a round that was too slow to tell nothing is said.
  await expectEventually(async () => expect((await reportOf(canary)).violations).not.toEqual([]), within);
  lateGateway.late.isOn = false;
  // The round that was under way.
  const { violations } = await roundsAfter(canary, (await reportOf(canary)).rounds);
  const name = `127.0.0.1:${lateGateway.port}`;
  expect(new Set(violations.map(({ promise, replica }) => `${promise} ${replica}`))).toEqual(
    new Set([`revocation ${name}`]),
  );
  const requestId = violations[0]?.requestId ?? '';
  // A service writes its lines within 200 ms.
  await expectEventually(
    () => expect(linesOf(platform.gateways[1] ?? canary, requestId)).not.toEqual([]),
    within,
  );
  expect(await metricOf(canary, 'canary_violations_total', { promise: 'revocation' })).toBe(
    violations.length,
  );
  await expectEventually(async () => {
    const { text } = await platform.request(0, 'GET', '/promises');
    expect(text).toContain(`gateway ${name} admitted a key`);
    expect(text).toContain(requestId);
  }, within);
  const page = await request(canary.ports.ops ?? 0, 'GET', '/promises');
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.text).toContain(requestId);
});

test('a gateway that is down fails the round without a violation, and is measured again afterwards', async () => {
  const { violations, failedRounds } = await reportOf(canary);
  const gateway = platform.gateways[0];
  await gateway?.stop();
  await expectEventually(
    async () => expect((await reportOf(canary)).failedRounds).toBeGreaterThan(failedRounds),
    within,
  );
  await gateway?.start();
  const { rounds } = await reportOf(canary);
  expect((await roundsAfter(canary, rounds)).violations).toEqual(violations);
});
