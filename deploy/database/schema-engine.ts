#!/usr/bin/env node
// Prisma's command line wants an engine that it downloads, and calls it by JSON-RPC over standard input and output. This
// program stands in its place: the same engine as WebAssembly, with which the services migrate.
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { sessionUrl } from '@platform/service-kit/database/connection.ts';
import { openSchemaEngine } from '@platform/service-kit/database/schema-engine.ts';
import { PrismaPg } from '@prisma/adapter-pg';
import type { DiagnoseMigrationHistoryInput } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { z } from 'zod';

/** Of the same release of Prisma as the engine. */
const history = z.custom<DiagnoseMigrationHistoryInput>((input) => typeof input === 'object');

const call = z.object({ id: z.number(), method: z.string(), params: z.unknown() });

const { values, positionals } = parseArgs({
  options: { datasource: { type: 'string' }, datamodels: { type: 'string', multiple: true } },
  allowPositionals: true,
  strict: false,
});
const datasource = z.string().parse(values.datasource);
const { url } = z.object({ url: z.string() }).parse(JSON.parse(datasource));
const database = new PrismaPg({ connectionString: sessionUrl(url), connectionTimeoutMillis: 5_000 });

if (positionals.includes('can-connect-to-database')) await checkConnection();
else await serveCalls();

/** Exits with 1, and the error as the command line reads it, when the database does not respond. */
async function checkConnection(): Promise<void> {
  try {
    const connection = await database.connect();
    await connection.queryRaw({ sql: 'SELECT 1', args: [], argTypes: [] });
    await connection.dispose();
  } catch (error) {
    const { host } = new URL(url);
    const message = `The database at ${host} cannot be used: ${messageOf(error)}`;
    const fields = { error_code: 'P1001', message };
    // Lines of JSON, of which the command line skips the first.
    process.stderr.write(`\n${JSON.stringify({ level: 'ERROR', target: 'schema_engine::logger', fields })}`);
    process.exitCode = 1;
  }
}

/** Serves one call a line until the command line ends. */
async function serveCalls(): Promise<void> {
  const engine = await openSchemaEngine(database);
  const respond = (id: number, response: object) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...response })}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = call.parse(JSON.parse(line));
    try {
      // Reading is all that `npm run prisma` lets through.
      if (method !== 'diagnoseMigrationHistory') throw new Error(`${method} is not supported here`);
      respond(id, { result: await engine.diagnoseMigrationHistory(history.parse(params)) });
    } catch (error) {
      respond(id, { error: { code: 4466, message: messageOf(error), data: { is_panic: false } } });
    }
  }
  engine.free();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
