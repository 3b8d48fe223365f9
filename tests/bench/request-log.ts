// The log of requests in PostgreSQL and in ClickHouse: rows a second that a core of each takes in batches of 1,000, bytes of a
// row, and the time of a page: `npm run bench -- request-log`. The figures of deploy/capacity/figures.ts.
import { randomUUID } from 'node:crypto';
import { startClickHouse } from '../harness/clickhouse.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import type { RequestRecord } from '../harness/identity-program.ts';
import { query } from '../harness/postgres.ts';
import { openRequestLog, type TestLog } from '../harness/request-logs.ts';
import { beginRun } from '../harness/run.ts';
import { cpuMsOf } from './process-usage.ts';
import { align } from './table.ts';

const batchSize = 1_000;
const batches = Number(process.env.BENCH_BATCHES || 40);
const businesses = 20;

function recordOf(n: number): RequestRecord {
  const id = randomUUID();
  const isRefused = n % 50 === 0;
  return {
    id,
    at: Date.now() - (n % 1_000),
    businessId: 1 + (n % businesses),
    method: n % 4 === 0 ? 'POST' : 'GET',
    path: `/v2/order/ord_${id.replaceAll('-', '').slice(12)}`,
    route: '/v2/order/{id}',
    status: isRefused ? 404 : 200,
    durationMs: (n % 997) / 8,
    upstreamMs: (n % 991) / 8,
    responseBytes: 400 + (n % 300),
    userAgent: 'python-requests/2.32.3',
    refusal: undefined,
    error: isRefused ? 'no order of this business has this id' : undefined,
    credentialType: 'secret_key',
    credentialId: `key_${String(n % 60).padStart(24, '0')}`,
    limitId: `key_${String(n % 60).padStart(24, '0')}`,
    clientIp: `192.0.2.${n % 250}`,
    requiredScope: 'orders:read',
    invalidField: undefined,
    secretLastFour: undefined,
  };
}

/** Adds everything. Resolves to rows per second, by the clock and by the CPU of the server. */
async function load(log: TestLog, cpuMs: () => Promise<number>) {
  const [cpuBefore, startedAt] = [await cpuMs(), performance.now()];
  let last = '';
  for (let sent = 0; sent < batches; sent++) {
    const records = Array.from({ length: batchSize }, (_, n) => recordOf(sent * batchSize + n));
    last = records.at(-1)?.id ?? '';
    await log.add({ batchId: randomUUID(), records, unlisted: [] });
  }
  await expectEventually(
    async () => {
      if ((await log.findAny(last)) === undefined) throw new Error('not all are written');
    },
    { withinMs: 60_000 },
  );
  const rows = batches * batchSize;
  const perSecond = (ms: number) => Math.round(rows / (ms / 1_000)).toLocaleString('en');
  return [perSecond(performance.now() - startedAt), perSecond((await cpuMs()) - cpuBefore)];
}

async function pageMs(log: TestLog): Promise<string> {
  const times: number[] = [];
  for (let n = 0; n < 9; n++) {
    const startedAt = performance.now();
    await log.list(1, { limit: 51, after: undefined });
    times.push(performance.now() - startedAt);
  }
  return times.toSorted((a, b) => a - b)[4]?.toFixed(0) ?? '';
}

const run = await beginRun();
const clickHouse = await startClickHouse();
const logs = [await openRequestLog(), await openRequestLog(clickHouse)] as const;
try {
  const [postgres, other] = logs;
  const backends = async () => {
    const found = await query(
      postgres.database,
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'test%'",
    );
    return found.reduce((sum, { pid }) => sum + cpuMsOf(Number(pid)), 0);
  };
  const first = await load(postgres, backends);
  const [size] = await query<{ bytes: number }>(
    postgres.database,
    "SELECT sum(pg_total_relation_size(relid))::float8 AS bytes FROM pg_partition_tree('request_log')",
  );
  const perRow = (found: { readonly bytes: number } | undefined) =>
    (Number(found?.bytes) / (batches * batchSize)).toFixed(0);
  const second = await load(other, async () => cpuMsOf(clickHouse.pid()));
  const [bytes] = await clickHouse.query<{ bytes: number }>(
    other.url,
    'SELECT toFloat64(sum(bytes)) AS bytes FROM system.parts WHERE active AND database = currentDatabase()',
  );
  const table = [
    ['', 'rows/s', 'rows/s and core of the server', 'bytes of a row', 'ms for a page'],
    ['PostgreSQL', ...first, perRow(size), await pageMs(postgres)],
    ['ClickHouse', ...second, perRow(bytes), await pageMs(other)],
  ];
  process.stdout.write(`${align(table)}\n`);
} finally {
  for (const log of logs) await log.close();
  await clickHouse.close();
  await run.end();
}
