import { readFile } from 'node:fs/promises';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
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
export type SchemaEngine = bindings.SchemaEngine;

/** What every call of the engine wants to know about tables that are not its own: there are none. */
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

// The package expects a bundler to import its .wasm file and hides it from `exports`; Node cannot import one.
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
