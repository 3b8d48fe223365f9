import { z } from 'zod';
import { maxDemands, type RequestLog } from '../request-log.ts';
import type { ClickHouse } from './client.ts';
import { joinSql, sql } from './sql.ts';

/** Numbers of 64 bits are text in older versions. */
const integer = z.coerce.number();

const known = z.string().transform((text) => text || undefined);

const demandRow = z.object({
  limitId: z.string(),
  method: z.string(),
  route: z.string(),
  clientIp: z.string(),
  requiredScope: known,
  refusal: known,
  requests: integer,
  lastAt: integer,
  begins: z.array(integer),
});

const totalRow = z.object({ total: integer });

const firstRow = z.object({ requests: integer, firstAt: integer });

/** Reads what a change of credentials would affect, and since when there is a log, from ClickHouse. */
export function createDemandReader({ read }: Pick<ClickHouse, 'read'>) {
  return {
    demands: async (credentials, { from, to }, { withTimes }) => {
      const businesses = [...new Set(credentials.map(({ businessId }) => businessId))];
      if (businesses.length === 0) return { demands: [], others: 0 };
      // FINAL: a row that was added twice counts once.
      const ofCredentials = sql`
        FROM request_log FINAL
        WHERE business_id IN (${list(businesses)}) AND at >= ${from} AND at < ${to}
          AND limit_id IN (${list(credentials.map(({ limitId }) => limitId))})`;
      const begins = withTimes
        ? sql`groupArray(toInt64(at) - toInt64(round(duration_ms)))`
        : sql`emptyArrayInt64()`;
      const rows = await read(
        demandRow,
        sql`
          SELECT limit_id AS limitId, method, route, client_ip AS clientIp, required_scope AS requiredScope, refusal,
                 count() AS requests, max(at) AS lastAt, ${begins} AS begins ${ofCredentials}
          GROUP BY limit_id, method, route, client_ip, required_scope, refusal
          ORDER BY requests DESC LIMIT ${maxDemands}`,
      );
      const [all] =
        rows.length < maxDemands ? [] : await read(totalRow, sql`SELECT count() AS total ${ofCredentials}`);
      const demands = rows.map(({ begins: times, ...demand }) => ({
        ...demand,
        startedAt: Float64Array.from(times),
      }));
      const listed = demands.reduce((sum, { requests }) => sum + requests, 0);
      return { demands, others: (all?.total ?? listed) - listed };
    },
    /** When the first request of some businesses ended, milliseconds since 1970; undefined without one. */
    firstAt: async (businessIds: readonly number[]): Promise<number | undefined> => {
      const [first] = await read(
        firstRow,
        sql`
          SELECT count() AS requests, min(at) AS firstAt FROM request_log
          WHERE business_id IN (${list(businessIds)})`,
      );
      return first === undefined || first.requests === 0 ? undefined : first.firstAt;
    },
  } satisfies Pick<RequestLog, 'demands'> & { readonly firstAt: unknown };
}

const list = (values: readonly (string | number)[]) =>
  joinSql(
    values.map((value) => sql`${value}`),
    ', ',
  );
