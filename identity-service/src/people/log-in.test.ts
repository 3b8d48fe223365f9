import { expect, test } from '@jest/globals';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { createLoginCounter } from './log-in.ts';

test('every outcome of a login has a counter that starts at 0, so that alarms see the first refusals', async () => {
  const registry = createRegistry('identity-service');
  const count = createLoginCounter(registry);
  count('refused');
  const { values = [] } = (await registry.getSingleMetric('identity_logins_total')?.get()) ?? {};
  expect(values.map(({ labels, value }) => [labels.outcome, value])).toEqual([
    ['logged_in', 0],
    ['awaiting', 0],
    ['refused', 1],
    ['throttled', 0],
  ]);
});
