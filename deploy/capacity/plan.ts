import { figures, type Table, tables } from './figures.ts';

const daySeconds = 86_400;

/** Expected use of an installation. An argument of the command replaces each number. */
export interface Load {
  readonly businesses: number;
  /** Requests per second over all businesses. */
  readonly rps: number;
  /** Keys and Grants per business that have requests in each minute. */
  readonly keysPerBusiness: number;
  /** Refreshes of tokens per business and day: a Grant has one in an hour. */
  readonly refreshesPerBusiness: number;
  /** Share of requests that store an order. */
  readonly writeShare: number;
  /** Deliveries of an event: endpoints that are due it. */
  readonly deliveriesPerEvent: number;
  /** Audit events per business and day. */
  readonly auditPerBusiness: number;
  /** Assumed, not measured: rows per second and bytes that one PostgreSQL server takes. */
  readonly databaseRows: number;
  readonly databaseBytes: number;
}

export const defaultLoad: Load = {
  businesses: 1_000_000,
  rps: 1_000_000,
  keysPerBusiness: 1,
  refreshesPerBusiness: 24,
  writeShare: 0.01,
  deliveriesPerEvent: 1,
  auditPerBusiness: 0.1,
  databaseRows: 20_000,
  databaseBytes: 10e12,
};

/** A part: how many units the load needs, and how many there can be. */
export interface Part {
  readonly name: string;
  readonly unit: string;
  /** Not rounded. */
  readonly needed: number;
  /** Units at most: PostgreSQL of a service is one server. Undefined: more are added as needed. */
  readonly most: number | undefined;
}

/** Rows of a table. */
export interface TableGrowth {
  readonly table: Table;
  readonly rowsPerDay: number;
  /** After the days for which rows are kept; after a year where they are kept without end. */
  readonly bytes: number;
}

export interface Plan {
  readonly parts: readonly Part[];
  readonly growth: readonly TableGrowth[];
  /** Authorize calls per second. */
  readonly authorizations: number;
  /** The part that is closest to its maximum of units, and the requests per second at which it would be saturated. */
  readonly first: { readonly part: Part; readonly rps: number };
  /** Requests per second that one business can have: all of its counters are on one Redis master. */
  readonly hotBusiness: number;
}

/** Computes what a load needs. */
export function planFor(load: Load): Plan {
  const keys = load.businesses * load.keysPerBusiness;
  const gateways = load.rps / (figures.gatewayPerCore * figures.utilization);
  const authorizations = authorizationsOf(load.rps, keys, Math.max(1, gateways));
  const refreshes = (load.businesses * load.refreshesPerBusiness) / daySeconds;
  const identityCpu = authorizations / figures.authorizePerCore + refreshes * figures.refreshCpuSeconds;
  const redisCpu = load.rps * figures.admissionCpuSeconds;
  const redisBytes = load.businesses * figures.generationBytes + keys * figures.counterBytes;
  const growth = growthOf(load, keys);
  const parts: readonly Part[] = [
    { name: 'gateway', unit: 'cores', needed: gateways, most: undefined },
    { name: 'identity-service', unit: 'cores', needed: identityCpu / figures.utilization, most: undefined },
    { name: 'Redis', unit: 'masters', needed: redisCpu / figures.utilization, most: undefined },
    { name: 'Redis memory', unit: 'GB', needed: redisBytes / figures.utilization / 1e9, most: undefined },
    ...(['identity', 'business', 'webhook'] as const).flatMap((service) =>
      databaseParts(service, growth, load),
    ),
    ...clickHouseParts(growth, load),
  ];
  const limited = parts.filter(({ most }) => most !== undefined);
  const part = limited.reduce((worst, each) => (each.needed > worst.needed ? each : worst));
  return {
    parts,
    growth,
    authorizations,
    first: { part, rps: load.rps / part.needed },
    hotBusiness: figures.utilization / figures.admissionCpuSeconds,
  };
}

/**
 * Authorize calls per second: each gateway process fetches each key that it sees once in `authorizationSeconds`, and at most
 * once per request. With many gateways and few requests per key, caching has no effect.
 */
export function authorizationsOf(rps: number, keys: number, gateways: number): number {
  return Math.min(rps, (keys * gateways) / figures.authorizationSeconds);
}

function growthOf(load: Load, keys: number): readonly TableGrowth[] {
  const requests = load.rps * daySeconds;
  const events = requests * load.writeShare;
  const deliveries = events * load.deliveriesPerEvent;
  // A key with less than one request a minute has a row per request.
  const rows: Readonly<Record<keyof typeof tables, number>> = {
    usage: Math.min(requests, keys * 1_440),
    usageHours: Math.min(requests, keys * 24),
    log: isInClickHouse(load) ? 0 : requests,
    logInClickHouse: isInClickHouse(load) ? requests : 0,
    audit: load.businesses * load.auditPerBusiness,
    orders: events,
    events,
    messages: deliveries === 0 ? 0 : events,
    deliveries,
    attempts: deliveries,
  };
  return Object.entries(rows).map(([name, rowsPerDay]) => {
    const table: Table = tables[name as keyof typeof tables];
    const kept = rowsPerDay * (table.keptDays ?? 365);
    const most = table === tables.log ? load.businesses * figures.logPerBusiness : Number.POSITIVE_INFINITY;
    return { table, rowsPerDay, bytes: Math.min(kept, most) * table.rowBytes };
  });
}

const isInClickHouse = ({ rps }: Load) => rps > figures.logInPostgres;

function clickHouseParts(growth: readonly TableGrowth[], load: Load): readonly Part[] {
  if (!isInClickHouse(load)) return [];
  const bytes = growth.find(({ table }) => table.service === 'clickhouse')?.bytes ?? 0;
  const cores = load.rps / figures.clickHousePerCore / figures.utilization;
  return [
    { name: 'ClickHouse, rows written', unit: 'cores', needed: cores, most: undefined },
    { name: 'ClickHouse, bytes kept', unit: 'TB', needed: bytes / 1e12, most: undefined },
  ];
}

function databaseParts(
  service: Table['service'],
  growth: readonly TableGrowth[],
  load: Load,
): readonly Part[] {
  const own = growth.filter(({ table }) => table.service === service);
  const sum = (of: (each: TableGrowth) => number) => own.reduce((total, each) => total + of(each), 0);
  const rows = sum(({ rowsPerDay }) => rowsPerDay) / daySeconds / load.databaseRows;
  const bytes = sum((each) => each.bytes) / load.databaseBytes;
  return [
    { name: `PostgreSQL of ${service}-service, rows written`, unit: 'servers', needed: rows, most: 1 },
    { name: `PostgreSQL of ${service}-service, bytes kept`, unit: 'servers', needed: bytes, most: 1 },
  ];
}
