import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlQueryable,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { currentRequest } from '../telemetry/request-context.ts';
import { type Attributes, type Operation, spanKind } from '../telemetry/span.ts';

/** Statements whose summaries are kept. */
const maxSummaries = 2_000;

/** The first table; a function behind FROM does not count. */
const table =
  /\b(?:into|update|(?:from|join)(?!\s+\w+\())\s+(?:only\s+)?(?:"?public"?\.)?"?([a-z_][a-z0-9_]*)/i;

/** Operation and first table of a statement, such as `SELECT orders`: no value, and few texts. */
export function summaryOf(sql: string): string {
  const operation = (/^\s*(\w+)/.exec(sql)?.[1] ?? 'QUERY').toUpperCase();
  const name = table.exec(sql)?.[1];
  return name === undefined ? operation : `${operation} ${name}`;
}

/**
 * An adapter whose statements are spans of the current request, the wait for a connection included. The text of a
 * statement is left out.
 */
export function traceAdapter(factory: SqlDriverAdapterFactory, server: Attributes): SqlDriverAdapterFactory {
  const { provider, adapterName } = factory;
  const operations = new Map<string, Operation>();

  function operationOf(sql: string): Operation {
    const known = operations.get(sql);
    if (known !== undefined) return known;
    const name = summaryOf(sql);
    const [operation] = name.split(' ');
    const attributes = {
      'db.system.name': 'postgresql',
      ...server,
      'db.operation.name': operation,
      'db.query.summary': name,
    };
    const created = { name, kind: spanKind.client, attributes };
    if (operations.size < maxSummaries) operations.set(sql, created);
    return created;
  }

  async function inSpan<T>(sql: string, run: () => Promise<T>): Promise<T> {
    const span = currentRequest()?.span?.startChild(operationOf(sql));
    if (span === undefined) return run();
    try {
      const result = await run();
      span.end();
      return result;
    } catch (error) {
      span.end({}, sqlStateOf(error));
      throw error;
    }
  }

  const queries = (inner: SqlQueryable) => ({
    provider,
    adapterName,
    queryRaw: (query: SqlQuery) => inSpan(query.sql, () => inner.queryRaw(query)),
    executeRaw: (query: SqlQuery) => inSpan(query.sql, () => inner.executeRaw(query)),
  });
  const tracedTransaction = (inner: Transaction): Transaction => ({
    ...queries(inner),
    options: inner.options,
    commit: () => inner.commit(),
    rollback: () => inner.rollback(),
  });
  const tracedConnection = (inner: SqlDriverAdapter): SqlDriverAdapter => ({
    ...queries(inner),
    executeScript: (script) => inner.executeScript(script),
    startTransaction: async (isolationLevel) =>
      tracedTransaction(await inSpan('BEGIN', () => inner.startTransaction(isolationLevel))),
    getConnectionInfo: () => inner.getConnectionInfo?.() ?? { supportsRelationJoins: true },
    dispose: () => inner.dispose(),
  });
  return { provider, adapterName, connect: async () => tracedConnection(await factory.connect()) };
}

/** SQLSTATE of an error, or another code; its text may quote values. */
function sqlStateOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code =
    typeof cause === 'object' && cause !== null && 'originalCode' in cause ? cause.originalCode : undefined;
  return typeof code === 'string' ? code : 'database_error';
}
