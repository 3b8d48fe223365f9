import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { startLoad } from '../harness/load.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import type { TestService } from '../harness/service.ts';

/** Secrets are replaced as docs/operations.md says, with two replicas of each service. */

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({ gateways: 2, identities: 2 });
});
afterAll(() => platform?.close());

async function restart(
  services: readonly TestService[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  for (const service of services) {
    await service.stop();
    await service.start(env);
  }
}

test('the secret between gateways and identity-service is replaced without a failed request', async () => {
  const { gateways, identities, secrets } = platform;
  const next = randomBytes(24).toString('hex');
  const { report, stop } = startLoad({ ports: platform.gatewayPorts, path: '/login', rate: 40 });
  const more = () => {
    const before = report.records.length;
    const enough = () => expect(report.records.length).toBeGreaterThan(before + 20);
    return expectEventually(enough, { withinMs: 20_000 });
  };
  await more();
  await restart(identities, { GATEWAY_SECRET: `${secrets.gatewaySecret},${next}` });
  await more();
  await restart(gateways, { GATEWAY_SECRET: next });
  await more();
  await restart(identities, { GATEWAY_SECRET: next });
  await more();
  await stop();
  expect(report.counts()).toEqual({ 200: report.records.length });
});

test('the old one is worth nothing afterwards', async () => {
  const [gateway] = platform.gateways;
  await restart(gateway ? [gateway] : [], { GATEWAY_SECRET: platform.secrets.gatewaySecret });
  expect((await platform.request(0, 'GET', '/login')).status).toBe(404);
  expect((await platform.request(1, 'GET', '/login')).status).toBe(200);
});
