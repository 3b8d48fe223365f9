import { Client } from '@platform/service-kit/database/connection.ts';

/** Tables of business-service that grow with traffic, and are not partitioned already: each has its business in every unique key. */
const tables = ['orders', 'business_counters', 'idempotency_keys'] as const;

/** Partitions of each table, by the hash of its business; tables are whole where `HASH_PARTITIONS` is absent. */
const partitions = Number(process.env.HASH_PARTITIONS ?? 0);

/**
 * Partitions the empty tables of business-service, like an installation that has outgrown one server. Names of keys and indexes
 * stay the same.
 */
export async function divideByBusiness(databaseUrl: string): Promise<void> {
  if (partitions === 0) return;
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  for (const table of tables) await client.query(divide(table));
  await client.end();
}

const divide = (table: string) => `
  DO $$
  DECLARE
    foreign_keys text[] := ARRAY(SELECT format('ADD CONSTRAINT %I %s', conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE conrelid = '${table}'::regclass AND contype = 'f');
    triggers text[] := ARRAY(SELECT pg_get_triggerdef(oid)
      FROM pg_trigger WHERE tgrelid = '${table}'::regclass AND NOT tgisinternal);
    part text;
  BEGIN
    FOR part IN SELECT indexrelid::regclass FROM pg_index WHERE indrelid = '${table}'::regclass LOOP
      EXECUTE format('ALTER INDEX %s RENAME TO %I', part, part || '_whole');
    END LOOP;
    ALTER TABLE ${table} RENAME TO ${table}_whole;
    CREATE TABLE ${table} (LIKE ${table}_whole INCLUDING ALL) PARTITION BY HASH (business_id);
    DROP TABLE ${table}_whole;
    FOR i IN 0..${partitions - 1} LOOP
      EXECUTE format('CREATE TABLE ${table}_%s PARTITION OF ${table} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER %s)', i, i);
    END LOOP;
    FOREACH part IN ARRAY foreign_keys LOOP EXECUTE 'ALTER TABLE ${table} ' || part; END LOOP;
    FOREACH part IN ARRAY triggers LOOP EXECUTE part; END LOOP;
  END $$`;
