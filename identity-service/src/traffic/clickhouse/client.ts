import { AppError } from '@platform/service-kit/values/app-error.ts';
import { z } from 'zod';
import { searchTooSlow } from '../request-log.ts';
import type { Sql } from './sql.ts';

/** Where a ClickHouse is, and its database. */
export interface ClickHouseAddress {
  /** Of its HTTP interface. */
  readonly origin: string;
  readonly database: string;
  /** Header with user and password. */
  readonly authorization: string;
}

const expected = 'must be clickhouse://user:password@host:8123/database, or the same with clickhouses';

/** REQUEST_LOG_URL. Error texts hold no part of it, since it may hold a password. */
export const clickHouseAddress = z.string().transform((text, context): ClickHouseAddress => {
  const address = URL.canParse(text) ? toAddress(new URL(text)) : undefined;
  if (address !== undefined) return address;
  context.addIssue({ code: 'custom', message: expected });
  return z.NEVER;
});

const schemes: Readonly<Record<string, { readonly scheme: string; readonly port: string } | undefined>> = {
  'clickhouse:': { scheme: 'http', port: '8123' },
  'clickhouses:': { scheme: 'https', port: '8443' },
};

function toAddress(url: URL): ClickHouseAddress | undefined {
  const known = schemes[url.protocol];
  const database = /^\/([A-Za-z_]\w*)$/.exec(url.pathname)?.[1];
  const isBare = url.hostname !== '' && url.search === '' && url.hash === '';
  if (known === undefined || database === undefined || !isBare) return undefined;
  try {
    const [user, password] = [url.username || 'default', url.password].map(decodeURIComponent);
    return {
      origin: `${known.scheme}://${url.hostname}:${url.port || known.port}`,
      database,
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    };
  } catch {
    return undefined;
  }
}

/** Milliseconds for a statement that a person waits for. */
const readLimitMs = 5_000;

/** Milliseconds that the client waits beyond that, in case ClickHouse does not respond. */
const replyMs = 1_000;

/** Errors of statements that take too long: TIMEOUT_EXCEEDED, TOO_SLOW. */
const slowCodes: readonly string[] = ['159', '160'];

export type ClickHouse = ReturnType<typeof createClickHouse>;

/** Sends statements to the HTTP interface of ClickHouse, which has no connections to look after. */
export function createClickHouse({ origin, database, authorization }: ClickHouseAddress) {
  async function send(
    parameters: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<string> {
    const query = new URLSearchParams({ database, ...parameters });
    const response = await fetch(`${origin}/?${query}`, {
      method: 'POST',
      headers: { authorization },
      body,
      redirect: 'error',
      signal,
    });
    const text = await response.text();
    if (response.ok) return text;
    // Not the text: it quotes the statement, which has what a person searches for.
    const code = /^Code: (\d+)/.exec(text)?.[1] ?? 'unknown';
    const error = new Error(`ClickHouse responded with ${response.status}, code ${code}`);
    throw slowCodes.includes(code) ? searchTooSlow(error) : error;
  }

  return {
    /** Runs a statement without a result. */
    run: async ({ text }: Sql, signal: AbortSignal): Promise<void> => void (await send({}, text, signal)),
    /** Adds rows to a table, which has a column for each of their fields. */
    insert: async (table: string, rows: readonly object[], signal: AbortSignal): Promise<void> => {
      const lines = rows.map((row) => JSON.stringify(row)).join('\n');
      await send({ query: `INSERT INTO ${table} FORMAT JSONEachRow` }, lines, signal);
    },
    /** Rows of a query. @throws AppError `unavailable` when ClickHouse is; `searchTooSlow` for a query that takes longer than 5 s */
    read: async <Row extends z.ZodType>(row: Row, { text }: Sql): Promise<z.output<Row>[]> => {
      const limits = { max_execution_time: `${readLimitMs / 1_000}`, wait_end_of_query: '1' };
      const signal = AbortSignal.timeout(readLimitMs + replyMs);
      const found = await send(limits, `${text} FORMAT JSONEachRow`, signal).catch((error: unknown) => {
        throw error instanceof AppError ? error : unavailable(error);
      });
      const lines = found.split('\n').filter((line) => line !== '');
      return lines.map((line) => row.parse(JSON.parse(line)));
    },
  };
}

function unavailable(cause: unknown): AppError {
  return new AppError(
    'unavailable',
    'request_log_unavailable',
    'the service is temporarily unavailable',
    cause,
  );
}
