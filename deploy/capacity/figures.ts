/** Measured figures of one processor core and of one key; docs/capacity.md says how each was measured. */
export const figures = {
  /** Requests per second of a gateway's core, authorizations cached. */
  gatewayPerCore: 10_700,
  /** Calls of Authorize per CPU second of identity-service. */
  authorizePerCore: 7_900,
  /** CPU seconds of identity-service for one refresh of a token. */
  refreshCpuSeconds: 0.0027,
  /** CPU seconds of Redis for one admission: Redis uses one core per master. */
  admissionCpuSeconds: 0.0001,
  /** Bytes in Redis of a business: its credential generation. */
  generationBytes: 120,
  /** Bytes in Redis of a key or Grant with requests in every minute of its rolling hour. */
  counterBytes: 600,
  /** Requests per second that the log in PostgreSQL takes beside everything else; from there on it is in ClickHouse. */
  logInPostgres: 5_000,
  /** Requests of one business that the log in PostgreSQL keeps. */
  logPerBusiness: 1_000_000,
  /** Rows per CPU second that ClickHouse takes. */
  clickHousePerCore: 285_000,
  /** Planned use of a core or of memory. The rest is a reserve for peaks and for the loss of a unit. */
  utilization: 0.6,
  /** Seconds until a gateway fetches a cached authorization again. */
  authorizationSeconds: 30,
} as const;

/** A large table: bytes of a row with its indexes, and days for which rows are kept, at most (undefined: without end). */
export interface Table {
  readonly name: string;
  readonly service: 'identity' | 'business' | 'webhook' | 'clickhouse';
  readonly rowBytes: number;
  readonly keptDays: number | undefined;
}

/** Tables whose rows come with requests and events. */
export const tables = {
  usage: { name: 'usage_counts', service: 'identity', rowBytes: 343, keptDays: 97 },
  usageHours: { name: 'usage_hours', service: 'identity', rowBytes: 219, keptDays: 98 },
  log: { name: 'request_log', service: 'identity', rowBytes: 524, keptDays: 31 },
  logInClickHouse: { name: 'request_log', service: 'clickhouse', rowBytes: 89, keptDays: 91 },
  audit: { name: 'audit_events', service: 'identity', rowBytes: 319, keptDays: undefined },
  orders: { name: 'orders', service: 'business', rowBytes: 409, keptDays: undefined },
  events: { name: 'events', service: 'business', rowBytes: 562, keptDays: 31 },
  messages: { name: 'messages', service: 'webhook', rowBytes: 427, keptDays: 30 },
  deliveries: { name: 'deliveries', service: 'webhook', rowBytes: 476, keptDays: 30 },
  attempts: { name: 'attempts', service: 'webhook', rowBytes: 179, keptDays: 30 },
} as const satisfies Readonly<Record<string, Table>>;
