import { expect, test } from '@jest/globals';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { createDatabaseMetrics } from './retention.ts';

test('purged rows have a series for each table before the first success', async () => {
  const registry = createRegistry('s');
  createDatabaseMetrics(registry);
  const text = await registry.metrics();
  for (const table of ['kept_answers', 'sessions', 'usage_counts', 'request_records_of_nobody']) {
    expect(text).toContain(`identity_purged_rows_total{table="${table}",service="s"} 0\n`);
  }
});
