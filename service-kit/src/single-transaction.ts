import type {
  SqlDriverAdapter,
  SqlMigrationAwareDriverAdapterFactory,
  Transaction,
} from '@prisma/driver-adapter-utils';

/** A database as the schema engine sees it, where everything happens inside one open transaction. */
export interface SingleTransaction {
  readonly factory: SqlMigrationAwareDriverAdapterFactory;
  /** The first script that failed: what the engine reports later only says that the transaction is over. */
  firstFailure(): FailedScript | undefined;
}

export interface FailedScript {
  readonly sql: string;
  readonly error: unknown;
}

/** Presents an open transaction as a database. */
export function singleTransaction(transaction: Transaction): SingleTransaction {
  let failure: FailedScript | undefined;
  const adapter: SqlDriverAdapter = {
    provider: transaction.provider,
    adapterName: transaction.adapterName,
    queryRaw: (query) => transaction.queryRaw(query),
    executeRaw: (query) => transaction.executeRaw(query),
    executeScript: async (sql) => {
      try {
        await transaction.executeRaw({ sql, args: [], argTypes: [] });
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
