import { expect, test } from '@jest/globals';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { createTrust } from './client-address.ts';
import { ClientShares } from './client-shares.ts';

test('one client may use part of the connections, and a trusted proxy all of them', async () => {
  const registry = createRegistry('test');
  const logger = createLogger({ service: 'test', level: 'silent' });
  const isTrusted = createTrust(['10.0.0.0/8']);
  const takePlace = new ClientShares({ perClient: 2, isTrusted, registry, logger }).places(6);
  const leave = takePlace('2001:db8::1');
  // The same network, and the same address.
  expect([takePlace('2001:db8::2'), takePlace('2001:db8::3')]).toEqual([expect.any(Function), undefined]);
  expect([takePlace('192.0.2.1'), takePlace('::ffff:192.0.2.1'), takePlace('192.0.2.1')]).toEqual([
    expect.any(Function),
    expect.any(Function),
    undefined,
  ]);
  expect([takePlace('10.0.0.1'), takePlace('10.0.0.1'), takePlace('10.0.0.1')]).toEqual([
    expect.any(Function),
    expect.any(Function),
    undefined,
  ]);
  leave?.();
  expect(takePlace('2001:db8::3')).toBeDefined();
  expect(takePlace(undefined)).toBeUndefined();
  const text = await registry.metrics();
  expect(text).toMatch(/gateway_connections_refused_total\{.*limit="client".*\} 2/);
  expect(text).toMatch(/gateway_connections_refused_total\{.*limit="all".*\} 1/);
});
