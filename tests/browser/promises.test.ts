import { expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { auditAccessibility } from './accessibility-audit.ts';
import { setStage } from './stage.ts';

/** The page of the promises in the browser: light and dark, on a desktop and on a phone. */

const stage = setStage({ identityEnv: { PUBLIC_PROMISES: 'on' } });

/** A month with days of every kind: kept, broken, not measured. */
const month = `
  INSERT INTO promise_days (day, promise, checks, violations, times, slowest_ms, highest_percent, last_at)
  SELECT (now() AT TIME ZONE 'UTC')::date - n, promise, 1440 - n * 7, CASE WHEN n = 9 AND promise = 'revocation' THEN 2 ELSE 0 END,
         CASE WHEN promise = 'rolling_hour' THEN array_fill(0, ARRAY[228])
              ELSE array_fill(0, ARRAY[16]) || array_fill(20, ARRAY[12]) || array_fill(0, ARRAY[199]) || 1 END,
         CASE WHEN promise <> 'rolling_hour' THEN 31 + n * 1111 END,
         CASE WHEN promise = 'rolling_hour' THEN 100 END, now() - make_interval(days => n)
  FROM generate_series(0, 24) AS n, unnest(ARRAY['revocation', 'rolling_hour', 'refresh']) AS promise
  WHERE n NOT IN (4, 5)`;

const violations = `
  INSERT INTO promise_violations (at, promise, gateway, request_id, what)
  SELECT now() - interval '9 days', 'revocation', '[2001:db8:85a3::8a2e:370:7334]:8080', gen_random_uuid(),
         'admitted a key 1234 ms after the response to its end'
  FROM generate_series(1, 2)`;

test('the promises are accessible and fit on a phone, before anything is measured and after a month', async () => {
  const { page, problems } = await stage.open('/promises');
  expect(await auditAccessibility(page)).toEqual([]);
  await stage.platform.sql(month);
  await stage.platform.sql(violations);
  await expectEventually(
    async () => {
      await page.reload();
      expect(await page.textContent('.notice')).toContain('2 requests broke a promise');
    },
    { withinMs: 30_000, everyMs: 500 },
  );
  for (const summary of await page.locator('summary').all()) await summary.click();
  expect(await auditAccessibility(page)).toEqual([]);
  expect(problems).toEqual([]);
});
