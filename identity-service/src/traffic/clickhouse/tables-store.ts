import { z } from 'zod';
import type { ClickHouse } from './client.ts';
import { joinSql, type Sql, sql } from './sql.ts';

/** A day; in it, requests of unknown businesses apart, since they are kept for a day. */
const partition = sql`(toYYYYMMDD(toDateTime(intDiv(at, 1000), 'UTC')), business_id = 0)`;

/** Sorted by business and time. Empty texts, `business_id` 0 and `upstream_ms` -1 stand for what is unknown. */
const requestLog = sql`
  CREATE TABLE IF NOT EXISTS request_log (
    id UUID, at UInt64, business_id UInt64, method String, path String, route String, status UInt16,
    duration_ms Float32, upstream_ms Float32, response_bytes UInt64, user_agent String, refusal String, error String,
    credential_type String, credential_id String, limit_id String, client_ip String, required_scope String,
    invalid_field String, secret_last_four String
  ) ENGINE = ReplacingMergeTree() PARTITION BY ${partition} ORDER BY (business_id, at, id)`;

/** Where in `request_log` a request is, sorted by id. Its few rows per mark make the search for one of them cheap. */
const requestLogIds = sql`
  CREATE TABLE IF NOT EXISTS request_log_ids (id UUID, at UInt64, business_id UInt64)
  ENGINE = ReplacingMergeTree() PARTITION BY ${partition} ORDER BY (id, at) SETTINGS index_granularity = 1024`;

/** Fills the second table with each insert into the first. */
const requestLogPlaces = sql`
  CREATE MATERIALIZED VIEW IF NOT EXISTS request_log_places TO request_log_ids AS
  SELECT id, at, business_id FROM request_log`;

/** Makes the tables, unless they exist. */
export async function createTables(clickHouse: ClickHouse, signal: AbortSignal): Promise<void> {
  for (const table of [requestLog, requestLogIds, requestLogPlaces]) await clickHouse.run(table, signal);
}

const partitionRow = z.object({ table: z.enum(['request_log', 'request_log_ids']), partition: z.string() });

const dayMs = 86_400_000;

/** Days for which requests are kept, at least; those of unknown businesses for one. */
export const keptDays = 90;

/** Drops the days whose time has passed. Resolves to their number. @param now milliseconds since 1970 */
export async function dropOldDays(clickHouse: ClickHouse, now: number, signal: AbortSignal): Promise<number> {
  const partitions = await clickHouse.read(
    partitionRow,
    sql`
      SELECT DISTINCT table, partition_id AS partition FROM system.parts
      WHERE active AND database = currentDatabase() AND table IN ('request_log', 'request_log_ids')`,
  );
  const old = partitions.filter((each) => isOver(each.partition, now));
  for (const { table, partition: id } of old) {
    await clickHouse.run(joinSql([alter[table], sql`DROP PARTITION ID ${id}`], ' '), signal);
  }
  return old.length;
}

const alter: Readonly<Record<z.output<typeof partitionRow>['table'], Sql>> = {
  request_log: sql`ALTER TABLE request_log`,
  request_log_ids: sql`ALTER TABLE request_log_ids`,
};

/** Whether all rows of a partition, as `20261129-0`, are too old. */
function isOver(partition: string, now: number): boolean {
  const [, year, month, day, isUnknown] = /^(\d{4})(\d{2})(\d{2})-([01])$/.exec(partition) ?? [];
  const days = isUnknown === '1' ? 1 : keptDays;
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) + (1 + days) * dayMs <= now;
}
