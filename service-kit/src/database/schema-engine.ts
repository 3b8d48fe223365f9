import { readFile } from 'node:fs/promises';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type Transaction,
} from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';

// The part of the global that is used; its types come only with the browser's.
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

/** Prisma's engine for migrations; it runs in this process and downloads nothing. */
type SchemaEngine = bindings.SchemaEngine;

/** Required by every call of the engine: no tables are excluded. */
export const noExternalTables: bindings.SchemaFilter = { externalTables: [], externalEnums: [] };

/** A schema engine over the given database. Call `free()` when done. */
export async function openSchemaEngine(
  factory: SqlMigrationAwareDriverAdapterFactory,
): Promise<SchemaEngine> {
  await instantiate();
  const options: bindings.ConstructorOptions = { datamodels: undefined };
  return bindings.SchemaEngine.new(options, () => {}, bindMigrationAwareSqlAdapterFactory(factory));
}

let instantiated: Promise<void> | undefined;

// The package expects a bundler to import its .wasm file, which Node cannot, and does not list the file in `exports`.
function instantiate(): Promise<void> {
  instantiated ??= (async () => {
    const file = new URL('schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm'));
    const { instance } = await WebAssembly.instantiate(await readFile(file), {
      './schema_engine_bg.js': { ...bindings },
    });
    bindings.__wbg_set_wasm(instance.exports);
    const { __wbindgen_start: start } = instance.exports;
    if (typeof start === 'function') start();
  })();
  return instantiated;
}

/** Runs a script of a migration; `execute` runs SQL in the transaction. */
export type RunScript = (sql: string, execute: (sql: string) => Promise<void>) => Promise<void>;

/** One open transaction, as a database for the schema engine. */
interface SingleTransaction {
  readonly factory: SqlMigrationAwareDriverAdapterFactory;
  /** The first script that failed: the engine's own error only reports an aborted transaction. */
  firstFailure(): FailedScript | undefined;
}

export interface FailedScript {
  readonly sql: string;
  readonly error: unknown;
}

/** Presents an open transaction as a database for the schema engine. */
export function singleTransaction(transaction: Transaction, runScript: RunScript): SingleTransaction {
  let failure: FailedScript | undefined;
  const execute = async (sql: string) => {
    await transaction.executeRaw({ sql, args: [], argTypes: [] });
  };
  const adapter: SqlDriverAdapter = {
    provider: transaction.provider,
    adapterName: transaction.adapterName,
    queryRaw: (query) => transaction.queryRaw(query),
    executeRaw: (query) => transaction.executeRaw(query),
    executeScript: async (sql) => {
      try {
        await runScript(sql, execute);
      } catch (error) {
        failure ??= { sql, error };
        throw error;
      }
    },
    getConnectionInfo: () => ({ supportsRelationJoins: true }),
    startTransaction: () => Promise.reject(new Error('a migration runs in one transaction')),
    dispose: () => Promise.resolve(),
  };
  const factory: SqlMigrationAwareDriverAdapterFactory = {
    provider: transaction.provider,
    adapterName: transaction.adapterName,
    connect: () => Promise.resolve(adapter),
    connectToShadowDb: () => Promise.reject(new Error('a migration needs no shadow database')),
  };
  return { factory, firstFailure: () => failure };
}
