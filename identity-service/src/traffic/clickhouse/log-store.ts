import { z } from 'zod';
import {
  credentialTypes,
  maxGroups,
  type RequestFilter,
  type RequestGroup,
  type RequestLog,
  type RequestQuery,
  type RequestRecord,
  type RouteDurations,
  statusesOf,
  trendParts,
} from '../request-log.ts';
import type { ClickHouse } from './client.ts';
import { joinSql, type Sql, sql } from './sql.ts';
import { keptDays } from './tables-store.ts';

/** Numbers of 64 bits are text in older versions. */
const integer = z.coerce.number();

const known = z.string().transform((text) => text || undefined);

const requestRow = z.object({
  id: z.string(),
  at: integer,
  businessId: integer.transform((id) => id || undefined),
  method: z.string(),
  path: z.string(),
  route: z.string(),
  status: z.int(),
  durationMs: z.number(),
  upstreamMs: z.number().transform((ms) => (ms < 0 ? undefined : ms)),
  responseBytes: integer,
  userAgent: z.string(),
  refusal: known,
  error: known,
  credentialType: z.enum([...credentialTypes, '']).transform((type) => type || undefined),
  credentialId: known,
  limitId: known,
  clientIp: z.string(),
  requiredScope: known,
  invalidField: known,
  secretLastFour: known,
}) satisfies z.ZodType<RequestRecord>;

/** A record as the table has it. */
function toRow(record: RequestRecord) {
  return {
    id: record.id,
    at: record.at,
    business_id: record.businessId ?? 0,
    method: record.method,
    path: record.path,
    route: record.route,
    status: record.status,
    duration_ms: record.durationMs,
    upstream_ms: record.upstreamMs ?? -1,
    response_bytes: record.responseBytes,
    user_agent: record.userAgent,
    refusal: record.refusal ?? '',
    error: record.error ?? '',
    credential_type: record.credentialType ?? '',
    credential_id: record.credentialId ?? '',
    limit_id: record.limitId ?? '',
    client_ip: record.clientIp,
    required_scope: record.requiredScope ?? '',
    invalid_field: record.invalidField ?? '',
    secret_last_four: record.secretLastFour ?? '',
  };
}

const columns = sql`
  id, at, business_id AS businessId, method, path, route, status, duration_ms AS durationMs,
  upstream_ms AS upstreamMs, response_bytes AS responseBytes, user_agent AS userAgent, refusal, error,
  credential_type AS credentialType, credential_id AS credentialId, limit_id AS limitId, client_ip AS clientIp,
  required_scope AS requiredScope, invalid_field AS invalidField, secret_last_four AS secretLastFour`;

const groupRow = z.object({
  method: z.string(),
  route: z.string(),
  status: z.int(),
  refusal: known,
  limitId: known,
  requests: integer,
  firstAt: integer,
  lastAt: integer,
  lastId: z.string(),
  trend: z.array(integer),
}) satisfies z.ZodType<RequestGroup>;

const durationsRow = z
  .object({
    method: z.string(),
    route: z.string(),
    requests: integer,
    failures: integer,
    quantiles: z.tuple([z.number(), z.number(), z.number()]),
  })
  .transform(({ quantiles: [p50, p95, p99], ...row }): RouteDurations => ({ ...row, p50, p95, p99 }));

/** As `hasFailed` has it. */
const failed = sql`(status >= 400 OR refusal != '')`;

const placeRow = z.object({ businessId: integer, at: integer });

const isUuid = (text: string) => z.uuid().safeParse(text).success;

/** Adds records. One that is there already is merged with it sooner or later; until then the reader leaves it out. */
export function insertRecords(
  clickHouse: ClickHouse,
  records: readonly RequestRecord[],
  signal: AbortSignal,
): Promise<void> {
  return clickHouse.insert('request_log', records.map(toRow), signal);
}

/** Reads the log from ClickHouse: everything of the last 90 days. */
export function createClickHouseReader({
  read,
}: Pick<ClickHouse, 'read'>): Omit<RequestLog, 'add' | 'unlisted' | 'demands' | 'coverage'> {
  const findPlace = async (id: string, condition: Sql) => {
    if (!isUuid(id)) return undefined;
    const places = sql`SELECT business_id AS businessId, at FROM request_log_ids`;
    const [place] = await read(
      placeRow,
      sql`${places} WHERE id = toUUID(${id}) AND ${condition} ORDER BY at LIMIT 1`,
    );
    return place;
  };

  async function findOne(id: string, condition: Sql): Promise<RequestRecord | undefined> {
    const place = await findPlace(id, condition);
    if (place === undefined) return undefined;
    const [found] = await read(
      requestRow,
      sql`
        SELECT ${columns} FROM request_log
        WHERE business_id = ${place.businessId} AND at = ${place.at} AND id = toUUID(${id}) LIMIT 1`,
    );
    return found;
  }

  async function list(businessId: number, query: RequestQuery): Promise<RequestRecord[]> {
    const { text, after, limit } = query;
    const ofBusiness = sql`business_id = ${businessId}`;
    const place = text !== undefined && isUuid(text) ? await findPlace(text, ofBusiness) : undefined;
    if (text !== undefined && isUuid(text) && place === undefined) return [];
    const found: RequestRecord[] = [];
    for (const { from, to } of windowsOf(query, place?.at, Date.now())) {
      const rows = await read(
        requestRow,
        sql`
          SELECT ${columns} FROM request_log
          WHERE ${ofBusiness} AND at >= ${from} AND at < ${to} AND ${conditionOf(query)} AND ${afterCursor(after)}
          ORDER BY at DESC, toString(id) LIMIT 1 BY id LIMIT ${limit - found.length}`,
      );
      found.push(...rows);
      if (found.length === limit) break;
    }
    return found;
  }

  return {
    list,
    find: (businessId, id) => findOne(id, sql`business_id IN (${businessId}, 0)`),
    findAny: (id) => findOne(id, sql`1`),
    groups: (businessId, filter) => {
      const part = sql`intDiv((at - ${filter.from}) * ${trendParts}, ${filter.to - filter.from})`;
      const counts = Array.from({ length: trendParts }, (_, n) => sql`uniqExactIf(id, ${part} = ${n})`);
      return read(
        groupRow,
        sql`
          SELECT method, route, status, refusal, limit_id AS limitId, [${joinSql(counts, ', ')}] AS trend,
                 arraySum(trend) AS requests, min(at) AS firstAt, max(at) AS lastAt, argMax(id, at) AS lastId
          FROM request_log
          WHERE business_id = ${businessId} AND ${failed} AND ${spanOf(filter)} AND ${conditionOf(filter)}
          GROUP BY method, route, status, refusal, limit_id
          ORDER BY requests DESC, lastAt DESC LIMIT ${maxGroups}`,
      );
    },
    durations: (businessId, filter) =>
      read(
        durationsRow,
        sql`
          SELECT method, route, count() AS requests, countIf(status >= 500) AS failures,
                 quantilesExactWeighted(0.5, 0.95, 0.99)(duration_ms, 1) AS quantiles
          FROM request_log FINAL
          WHERE business_id = ${businessId} AND ${spanOf(filter)} AND ${conditionOf(filter)}
          GROUP BY method, route ORDER BY requests DESC, route, method LIMIT ${maxGroups}`,
      ),
  };
}

const firstWindowMs = 1_000;

/** Each window is as many times as long as the one before. */
const windowFactor = 16;

/** How far the clock of another replica may be ahead. */
const clockSkewMs = 60_000;

/**
 * Spans of time that a page is looked for in, one after the other, the newest first. A sort of everything that a busy business
 * has would read all of it; so few rows more than a page are read, with or without an index in that order.
 * @param at of the only request; undefined where there may be several
 */
function* windowsOf({ from, to, after }: RequestQuery, at: number | undefined, now: number) {
  const least = Math.max(from ?? 0, at ?? 0, now - (keptDays + 1) * 86_400_000);
  const last = Math.min(after?.at ?? Infinity, at ?? Infinity, now + clockSkewMs);
  let end = Math.min(to ?? Infinity, last + 1);
  for (let length = firstWindowMs; end > least; length *= windowFactor) {
    const start = Math.max(least, end - length);
    yield { from: start, to: end };
    end = start;
  }
}

const spanOf = ({ from, to }: { readonly from: number; readonly to: number }) =>
  sql`at >= ${from} AND at < ${to}`;

function conditionOf(filter: RequestFilter): Sql {
  const { limitId, statusClass, status, reasonStatus, refusal, method, route, clientIp, text } = filter;
  const conditions = [sql`1`];
  if (limitId !== undefined) conditions.push(sql`limit_id = ${limitId}`);
  if (statusClass !== undefined) {
    const [lowest, highest] = statusesOf[statusClass];
    conditions.push(sql`status BETWEEN ${lowest} AND ${highest}`);
  }
  if (status !== undefined) conditions.push(sql`status = ${status}`);
  if (reasonStatus !== undefined) conditions.push(sql`status = ${reasonStatus}`);
  if (refusal !== undefined) conditions.push(sql`refusal = ${refusal === 'none' ? '' : refusal}`);
  if (method !== undefined) conditions.push(sql`method = ${method}`);
  if (route !== undefined) conditions.push(sql`route = ${route}`);
  if (clientIp !== undefined) conditions.push(sql`client_ip = ${clientIp}`);
  if (text !== undefined) conditions.push(textCondition(text));
  return joinSql(conditions, ' AND ');
}

function textCondition(text: string): Sql {
  if (isUuid(text)) return sql`id = toUUID(${text})`;
  const parts = [sql`path`, sql`user_agent`, sql`error`].map(
    (column) => sql`positionCaseInsensitive(${column}, ${text}) > 0`,
  );
  return sql`(${joinSql(parts, ' OR ')} OR client_ip = ${text})`;
}

/** Keyset condition: rows after the cursor in (at DESC, id). Text of an id, since versions order UUIDs differently. */
function afterCursor(after: { readonly at: number; readonly id: string } | undefined): Sql {
  if (after === undefined) return sql`1`;
  return sql`(at < ${after.at} OR toString(id) > ${after.id})`;
}
