import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { TimeoutError, withTimeout } from '../process/timeout.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Counter, type Registry } from '../telemetry/metrics.ts';
import type { Attributes } from '../telemetry/span.ts';
import type { Tracer } from '../telemetry/tracer.ts';
import { Client, Pool, reliedSettings, sessionUrl } from './connection.ts';
import { databaseUnavailable, toDatabaseError, unavailableSqlState } from './errors.ts';
import { openGuardedSocket } from './guarded-socket.ts';
import { ConnectionPool, createPoolMetrics } from './pool.ts';
import { traceAdapter } from './traced-adapter.ts';
import { createTurns, type RunInTurn } from './turns.ts';

/**
 * Names a statement by its text, so that PostgreSQL parses and plans it once per connection instead of every time (an
 * indexed lookup takes about a third less). The number of texts must be bounded: values go into parameters.
 */
export function statementName({ sql }: { readonly sql: string }): string {
  // Names end at 63 characters; this has 27.
  return createHash('sha1').update(sql).digest('base64url');
}

interface DatabaseOptions {
  /** `postgresql://…` */
  readonly url: string;
  /** transaction: a pooler lends connections for one transaction each, so nothing may depend on a session. */
  readonly pooling?: 'session' | 'transaction';
  /** Shown by pg_stat_activity. */
  readonly applicationName: string;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Connections at most, besides the one of the probe. */
  readonly maxConnections: number;
  /** Milliseconds that one request may wait for turns and connections, over all its steps. */
  readonly waitLimitMs: number;
  /** Undefined or absent: statements are not traced. */
  readonly tracer?: Tracer | undefined;
  /** Further settings of its sessions, by name; not for a pooler, which refuses them. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A service's connections to its database. */
export interface Database {
  /** For `new PrismaClient({ adapter, transactionOptions })`. */
  readonly adapter: SqlDriverAdapterFactory;
  readonly transactionOptions: { readonly maxWait: number; readonly timeout: number };
  /**
   * Runs queries within `limitMs` milliseconds. The default is the sum of the limits for a connection and a transaction.
   * @throws AppError `unavailable` when the database is unavailable; other errors of `work` unchanged
   */
  run<T>(work: () => Promise<T>, limitMs?: number): Promise<T>;
  /**
   * The same, after all earlier work on the key in this process. For transactions that would otherwise each occupy a
   * connection while they wait for the same lock.
   */
  readonly runInTurn: RunInTurn;
  /** Resolves when the database responds. Uses a separate connection, so that load alone does not make it fail. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Minimum and maximum, in milliseconds, of the time limit for opening a connection, for a statement with its lock waits, and
 * for a transaction. The limit is the time that a request may wait for a connection, within these bounds. Transactions must
 * be shorter than what the log of revocations counts as settled (20 s).
 */
const leastLimitMs = 2_000;

const mostLimitMs = 8_000;

const limitOf = ({ waitLimitMs }: Pick<DatabaseOptions, 'waitLimitMs'>) =>
  Math.min(Math.max(leastLimitMs, waitLimitMs), mostLimitMs);

/** Milliseconds that the client waits beyond the time limit of the server, in case the server does not respond. */
const replyMs = 500;

/** Milliseconds to begin a transaction once a connection is there. */
const beginLimitMs = 200;

/** Milliseconds after which the server ends a session that is idle in a transaction. */
const idleInTransactionLimitMs = 5_000;

/** Opens a pool. Connects with the first query, and again after every failure. */
export function openDatabase(options: DatabaseOptions): Database {
  const { logger, registry, maxConnections, waitLimitMs } = options;
  const maxWait = waitLimitMs + beginLimitMs;
  const transactionLimitMs = limitOf(options);
  const runInTurn = createTurns(waitLimitMs);
  // Includes the full time of a transaction, so that none commits after its request was refused.
  const runLimitMs = maxWait + transactionLimitMs;
  const metrics = createPoolMetrics(registry);
  const count = countErrors(registry);
  const within = <T>(work: () => Promise<T>, limitMs: number) => count(() => withinLimit(work, limitMs));
  const pool = new ConnectionPool({ ...poolConfig(options, maxConnections), waitLimitMs }, metrics);
  metrics.watch(pool);
  // Never closed when idle, because connecting takes longer than a probe may.
  const probePool = new Pool({ ...poolConfig(options, 1), idleTimeoutMillis: 0 });
  for (const each of [pool, probePool]) closeBroken(each, logger);
  const adapter = new PrismaPg(pool, {
    // Behind a pooler, the next transaction may use a connection that does not know the prepared statement.
    ...(options.pooling !== 'transaction' && { statementNameGenerator: statementName }),
    onConnectionError: (error) => logger.warn({ err: error }, 'database connection lost'),
  });
  return {
    adapter: options.tracer === undefined ? adapter : traceAdapter(adapter, serverOf(options.url)),
    transactionOptions: { maxWait, timeout: transactionLimitMs },
    run: (work, limitMs = runLimitMs) => within(work, limitMs),
    runInTurn: (key, work) => runInTurn(key, () => within(work, runLimitMs)),
    probe: async () => {
      await probePool.query('SELECT 1');
    },
    close: async () => {
      await Promise.all([pool.end(), probePool.end()]);
    },
  };
}

/** Attributes that name a database; of its URL neither user nor password. */
function serverOf(databaseUrl: string): Attributes {
  const { hostname, port, pathname } = new URL(databaseUrl);
  return {
    'server.address': hostname,
    'server.port': Number(port || 5432),
    'db.namespace': decodeURIComponent(pathname.slice(1)),
  };
}

function poolConfig(options: DatabaseOptions, max: number) {
  const { url, applicationName, pooling } = options;
  const session = {
    connectionString: sessionUrl(url, options.settings),
    statement_timeout: limitOf(options),
    idle_in_transaction_session_timeout: Math.max(idleInTransactionLimitMs, limitOf(options)),
  };
  return {
    // A pooler refuses them, or ignores them; `checkRole` requires them of the role instead.
    ...(pooling === 'transaction' ? { connectionString: url } : session),
    application_name: applicationName,
    max,
    connectionTimeoutMillis: limitOf(options),
    idleTimeoutMillis: 30_000,
    query_timeout: limitOf(options) + replyMs,
    keepAlive: true,
    stream: openGuardedSocket,
  };
}

/** Settings without which statements go wrong, and a lost client holds locks. */
const roleSettings = [
  ...reliedSettings,
  limit('statement_timeout', leastLimitMs),
  limit('idle_in_transaction_session_timeout', idleInTransactionLimitMs),
];

function limit(name: string, milliseconds: number) {
  const value = `${milliseconds / 1000}s`;
  return { name, value, suffices: (actual: string) => actual === value };
}

/**
 * Checks that connections of a pooler have the settings with which direct sessions start.
 * @throws Error with the statements that set them for the role
 */
export async function checkRole(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: leastLimitMs });
  client.on('error', () => {});
  const values = roleSettings.map(({ name }) => `current_setting('${name}') AS ${name}`);
  try {
    await client.connect();
    const { rows } = await client.query<Record<string, string>>(`SELECT current_user, ${values.join(', ')}`);
    const actual = (name: string) => rows[0]?.[name] ?? '';
    const missing = roleSettings.filter(({ name, suffices }) => !suffices(actual(name)));
    if (missing.length === 0) return;
    const role = client.escapeIdentifier(actual('current_user'));
    const statements = missing.map(({ name, value }) => `ALTER ROLE ${role} SET ${name} = '${value}';`);
    throw new Error(
      `DATABASE_POOLING=transaction: first ${statements.join(' ')} Then restart the pooler, which remembers them.`,
    );
  } finally {
    await client.end();
  }
}

/**
 * Closes connections that are released within a transaction. If a ROLLBACK timed out before it was sent, the next
 * transaction on the connection would commit the statements of the earlier one.
 */
function closeBroken(pool: Pool, logger: Logger): void {
  pool.on('error', (error) => logger.warn({ err: error }, 'database connection lost'));
  // The pool stops listening to a connection that it lends. Without a listener, an error at that moment ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('release', (_error, client) => {
    if (client.getTransactionStatus() !== 'I') void client.end();
  });
}

/** Counts requests that PostgreSQL cannot serve. A full disk starts at 0, so that alerts see the first increment. */
function countErrors(registry: Registry): <T>(work: () => Promise<T>) => Promise<T> {
  const errors = new Counter({
    name: 'database_errors_total',
    help: 'Requests and background work that PostgreSQL could not serve, by SQLSTATE.',
    labelNames: ['sqlstate'],
    registers: [registry],
  });
  errors.inc({ sqlstate: '53100' }, 0);
  return async (work) => {
    try {
      return await work();
    } catch (error) {
      const sqlstate = unavailableSqlState(error);
      if (sqlstate !== undefined) errors.inc({ sqlstate });
      throw error;
    }
  };
}

async function withinLimit<T>(work: () => Promise<T>, limitMs: number): Promise<T> {
  try {
    return await withTimeout(work(), limitMs);
  } catch (error) {
    throw error instanceof TimeoutError ? databaseUnavailable(error) : toDatabaseError(error);
  }
}
