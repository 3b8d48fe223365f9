// Time of a forecast over a million requests of one key in a week: `npm run bench -- forecast`. The figures of docs/capacity.md.
import { openDashboard } from '../harness/dashboard.ts';
import { signUpVerified } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { beginRun } from '../harness/run.ts';

const rows = 1_000_000;

const rounds = 5;

/** Requests of row `n`: 200 addresses and 12 endpoints, from 0.6 s after another, with pauses by day. */
const insert = `
  INSERT INTO request_log
    (id, at, business_id, method, path, route, status, duration_ms, response_bytes, user_agent, refusal, credential_type,
     credential_id, limit_id, client_ip, required_scope)
  SELECT gen_random_uuid(), now() - interval '1 second' - n * interval '0.6 seconds', $1,
         CASE WHEN n % 4 = 0 THEN 'POST' ELSE 'GET' END, '/v2/order/' || n, '/v2/order/{id}' || (n % 3), 200, 12.5, 840,
         'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101', CASE WHEN n % 100 = 0 THEN 'rate_limited' END,
         'secret_key', $2, $2, '203.0.113.' || (n % 200), CASE WHEN n % 4 = 0 THEN 'orders:write' ELSE 'orders:read' END
  FROM generate_series(1, ${rows}) AS n`;

const run = await beginRun();
const platform = await startPlatform({ gateways: 1 });
try {
  const person = await signUpVerified(platform);
  const dashboard = await openDashboard(person, person.browser);
  const key = await platform.createKey({ businessId: person.businessId });
  await platform.sql(insert, [person.businessId, key.id]);
  await platform.sql('VACUUM ANALYZE request_log');
  const measure = async (name: string, path: string, body: object) => {
    const times: number[] = [];
    let text = '';
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      const response = await dashboard.own('POST', `/api-keys/${key.id}${path}`, body);
      times.push(performance.now() - start);
      ({ text } = response);
    }
    const median = times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
    const { requests, refused } = JSON.parse(text);
    process.stdout.write(
      `${name.padEnd(12)} ${Math.round(median)} ms, worst ${Math.round(Math.max(...times))} ms; `,
    );
    process.stdout.write(`${refused} of ${requests} refused\n`);
  };
  await measure('permissions', '/forecast', { scopes: ['orders:read'] });
  await measure('addresses', '/forecast', { ipWhitelist: ['203.0.113.0/25'] });
  await measure('deletion', '/forecast', { deleted: true });
  await measure('limit', '/limit/forecast', { limit: 5_000 });
} finally {
  await platform.close();
  await run.end();
}
