import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type BusinessPlatform,
  orderBody,
  signPassport,
  startBusinessPlatform,
} from '../harness/business-platform.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import { request } from '../harness/http-request.ts';
import { startLoad } from '../harness/load.ts';
import { createDatabase, query } from '../harness/postgres.ts';
import type { TestService } from '../harness/service.ts';

interface LogLine {
  readonly msg: string;
  readonly [field: string]: unknown;
}

let platform: BusinessPlatform;
let passport: string;
beforeAll(async () => {
  const databaseUrl = await createDatabase();
  // Migrations take a while, so that the replicas are certain to meet.
  await query(
    databaseUrl,
    `CREATE SCHEMA slow;
     CREATE FUNCTION slow.down() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.05); END';
     CREATE EVENT TRIGGER slow ON ddl_command_start EXECUTE FUNCTION slow.down()`,
  );
  platform = await startBusinessPlatform({ databaseUrl, replicas: 2 });
  passport = await signPassport(platform.businessId);
});
afterAll(() => platform.close());

const logOf = ({ logFile }: TestService) =>
  readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): LogLine => JSON.parse(line));
const only = (index: number) => {
  const service = platform.services[index];
  if (service === undefined) throw new Error(`there is no replica ${index}`);
  return service;
};
const ops = (service: TestService, path: string) => request(service.ports.ops ?? 0, 'GET', path);

test('two replicas that start at once on an empty database migrate once', async () => {
  const rows = await platform.sql<{ migration_name: string; finished: boolean }>(
    'SELECT migration_name, finished_at IS NOT NULL AS finished FROM _prisma_migrations',
  );
  expect(rows.every(({ finished }) => finished)).toBe(true);
  const names = rows.map(({ migration_name: name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const applied = () =>
    platform.services.map((service) =>
      logOf(service)
        .filter(({ msg }) => msg === 'database is up to date')
        .map((line) => line.applied),
    );
  const once = [JSON.stringify([[]]), JSON.stringify([names])].sort();
  await expectEventually(
    () =>
      expect(
        applied()
          .map((of) => JSON.stringify(of))
          .sort(),
      ).toEqual(once),
    { withinMs: 5_000 },
  );
});

describe('the ops port', () => {
  test('reports that the service is live and ready', async () => {
    expect((await ops(only(0), '/healthz')).json()).toEqual({ alive: true });
    expect((await ops(only(0), '/readyz')).json()).toMatchObject({ ready: true, checks: { postgres: 'ok' } });
  });

  test('counts requests by route, not by path', async () => {
    const id = 'ord_00000000000000000000';
    await request(only(0).ports.http ?? 0, 'GET', `/order/${id}`, { headers: { 'X-Passport': passport } });
    // Counted after the response.
    const text = await expectEventually(
      async () => {
        const { text: metrics } = await ops(only(0), '/metrics');
        const counted = metrics
          .split('\n')
          .find((line) => line.startsWith('http_request_duration_seconds_count'));
        expect(counted).toMatch(/method="GET",route="\/order\/:id",status="404"\} 1$/);
        return metrics;
      },
      { withinMs: 5_000 },
    );
    expect(text).not.toContain(id);
  });
});

test('a request is one log line with its id, and no line holds a passport', async () => {
  const headers = { 'X-Passport': passport, 'X-Request-Id': 'req-of-the-log-test' };
  await request(only(1).ports.http ?? 0, 'POST', '/order', { headers, body: orderBody });
  const line = await expectEventually(
    () => {
      const lines = logOf(only(1)).filter(({ requestId }) => requestId === 'req-of-the-log-test');
      expect(lines).toHaveLength(1);
      return lines[0];
    },
    { withinMs: 5_000 },
  );
  expect(line).toMatchObject({
    msg: 'request',
    method: 'POST',
    path: '/order',
    status: 201,
    ms: expect.any(Number),
    businessId: platform.businessId,
    credentialId: 'key_of_a_test',
  });
  expect(readFileSync(only(1).logFile, 'utf8')).not.toContain(passport.slice(0, 20));
});

test('requests in flight at SIGTERM get their responses', async () => {
  const orders = await holdTable(platform.databaseUrl, 'orders');
  const headers = { 'X-Passport': passport };
  const port = only(1).ports.http ?? 0;
  // One write: the writers of a business wait for each other without connections.
  const responses = Promise.all([
    request(port, 'POST', '/order', { headers, body: orderBody }),
    ...Array.from({ length: 4 }, () => request(port, 'GET', '/order', { headers })),
  ]);
  await expectEventually(async () => expect(await orders.waiting()).toBe(5), { withinMs: 1_500 });
  const ended = only(1).stop();
  await expectEventually(
    async () => expect((await ops(only(1), '/readyz')).json()).toMatchObject({ draining: true }),
    { withinMs: 1_000, everyMs: 5 },
  );
  await orders.release();
  expect((await responses).map(({ status }) => status)).toEqual([201, 200, 200, 200, 200]);
  expect(await ended).toMatchObject({ code: 0 });
  await only(1).start();
});

test('SIGTERM under load ends a replica without losing a request', async () => {
  await only(0).stop();
  // Long enough for a look that a busy machine delays.
  await only(0).start({ DRAIN_DELAY_MS: '8000' });
  const ports = platform.services.map(({ ports: { http } }) => http ?? 0);
  const headers = { 'X-Passport': passport };
  const before = await platform.sql('SELECT id FROM orders WHERE business_id = $1', [platform.businessId]);
  const reads = startLoad({ ports, rate: 150, path: '/businesses/me', headers });
  const writes = startLoad({
    ports,
    rate: 30,
    path: '/order',
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(orderBody),
  });
  await expectEventually(
    () => {
      expect(reads.report.records.length).toBeGreaterThan(100);
      expect(writes.report.records.length).toBeGreaterThan(20);
    },
    { withinMs: 5_000 },
  );
  const ended = only(0).stop();
  await expectEventually(
    async () => expect((await ops(only(0), '/readyz')).json()).toMatchObject({ draining: true }),
    { withinMs: 6_000, everyMs: 5 },
  );
  // As a balancer does: a connection that the kernel gets in the moment of the close would be reset.
  ports.shift();
  const { code } = await ended;
  const [readReport, writeReport] = await Promise.all([reads.stop(), writes.stop()]);
  await only(0).start();
  expect(code).toBe(0);
  expect(readReport.failures(200)).toEqual([]);
  expect(writeReport.failures(201)).toEqual([]);
  const after = await platform.sql('SELECT id FROM orders WHERE business_id = $1', [platform.businessId]);
  expect(after.length - before.length).toBe(writeReport.records.length);
});
