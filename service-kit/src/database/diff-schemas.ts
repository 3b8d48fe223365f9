import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import { noExternalTables, openSchemaEngine } from './schema-engine.ts';

/** SQL from one Prisma schema (`undefined`: an empty one) to another; undefined when they are equal. */
export async function diffSchemas(from: string | undefined, to: string): Promise<string | undefined> {
  const engine = await openSchemaEngine(imaginaryDatabase);
  const schema = (content: string) => ({
    tag: 'schemaDatamodel' as const,
    files: [{ path: 'schema.prisma', content }],
  });
  try {
    const { stdout } = await engine.diff({
      from: from === undefined ? { tag: 'empty' } : schema(from),
      to: schema(to),
      script: true,
      exitCode: null,
      filters: noExternalTables,
    });
    return stdout === null || stdout.includes('This is an empty migration') ? undefined : stdout;
  } finally {
    engine.free();
  }
}

const kind = { provider: 'postgres', adapterName: 'imaginary' } as const;

const nothing = () => Promise.reject(new Error('comparing schemas uses no database'));

// The engine requires a database, and only queries whether the schema exists and the server's version.
const adapter: SqlDriverAdapter = {
  ...kind,
  queryRaw: async () => ({
    columnNames: ['exists', 'version', 'numeric_version'],
    columnTypes: [ColumnTypeEnum.Boolean, ColumnTypeEnum.Text, ColumnTypeEnum.Int32],
    rows: [[true, 'PostgreSQL 18.0', 180_000]],
  }),
  executeRaw: nothing,
  executeScript: nothing,
  startTransaction: nothing,
  dispose: async () => {},
};

const imaginaryDatabase: SqlMigrationAwareDriverAdapterFactory = {
  ...kind,
  connect: async () => adapter,
  connectToShadowDb: nothing,
};
