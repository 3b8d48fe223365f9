import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { breachesOf, type Migration } from './migration-rules.ts';
import { databaseServices } from './services.ts';

function migrationsOf(root: string): readonly Migration[] {
  const directory = join(root, 'prisma/migrations');
  const names = readdirSync(directory).filter((name) => !name.endsWith('.toml'));
  return names
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(directory, name, 'migration.sql'), 'utf8') }));
}

test.each(databaseServices())(
  'migrations of $name expand the schema, and contract it in a later release',
  ({ root }) => {
    const migrations = migrationsOf(root);
    expect(migrations[0]?.name).toMatch(/_init$/);
    // The first one meets an empty database.
    const breaches = migrations.slice(1).flatMap((migration, index) => {
      const earlier = migrations.slice(0, index + 1).map(({ sql }) => sql);
      return breachesOf(migration, earlier.join('\n'));
    });
    expect(breaches).toEqual([]);
  },
);

const breaks = (sql: string, name = '20270101000000_change', earlier = '') =>
  breachesOf({ name, sql }, earlier).length > 0;

test.each([
  'CREATE INDEX "a_b_idx" ON "a"("b")',
  'CREATE UNIQUE INDEX "a_b_key" ON "a"("b")',
  'CREATE INDEX CONCURRENTLY "a_b_idx" ON "a"("b")',
  'DROP INDEX CONCURRENTLY IF EXISTS "i"; CREATE INDEX CONCURRENTLY "i" ON "a"("b"); ALTER TABLE "a" ADD COLUMN "c" TEXT',
  'DROP INDEX "a_b_idx"',
  'ALTER TABLE "a" ADD COLUMN "c" TEXT NOT NULL',
  'ALTER TABLE "a" ADD COLUMN "c" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp()',
  'ALTER TABLE "a" ADD COLUMN "c" UUID DEFAULT gen_random_uuid()',
  'ALTER TABLE "a" ADD COLUMN "c" BIGSERIAL NOT NULL',
  'ALTER TABLE "a" ADD COLUMN "c" BIGINT GENERATED ALWAYS AS (b + 1) STORED',
  'ALTER TABLE "a" ADD COLUMN "b" TEXT, ADD COLUMN "c" TEXT UNIQUE',
  'ALTER TABLE "a" ALTER COLUMN "b" TYPE BIGINT',
  'ALTER TABLE "a" ALTER COLUMN "b" SET DATA TYPE BIGINT',
  'ALTER TABLE "a" ALTER COLUMN "b" SET NOT NULL',
  'ALTER TABLE "a" ADD CONSTRAINT "f" FOREIGN KEY ("b") REFERENCES "c"("id") ON DELETE CASCADE',
  'ALTER TABLE "a" ADD CONSTRAINT "f" CHECK (b > 0)',
  'ALTER TABLE "a" ADD CONSTRAINT "u" UNIQUE ("b")',
  'ALTER TABLE "a" ADD CONSTRAINT "f" CHECK (b > 0) NOT VALID; ALTER TABLE "a" VALIDATE CONSTRAINT "f"',
  'ALTER TABLE "a" DROP COLUMN "b"',
  'ALTER TABLE "a" RENAME COLUMN "b" TO "c"',
  'ALTER TABLE "a" SET LOGGED',
  'DROP TABLE "a"',
  'UPDATE "a" SET "b" = 1',
  'INSERT INTO "a" ("b") SELECT "b" FROM "c"',
  'LOCK TABLE "a"',
  'VACUUM FULL "a"',
])('a breach: %s', (sql) => {
  expect(breaks(sql)).toBe(true);
});

test.each([
  'CREATE TABLE "a" ("b" TEXT NOT NULL); CREATE INDEX "i" ON "a"("b"); ALTER TABLE "a" ADD CONSTRAINT "f" FOREIGN KEY ("b") REFERENCES "c"("d")',
  'DROP INDEX CONCURRENTLY IF EXISTS "i"; CREATE INDEX CONCURRENTLY "i" ON "a"("b") WHERE "b" IS NOT NULL',
  'ALTER TABLE "a" ADD COLUMN "b" TEXT, ADD COLUMN "c" TEXT[] DEFAULT ARRAY[]::TEXT[], ADD COLUMN "d" NUMERIC(10,2) NOT NULL DEFAULT 0',
  'ALTER TABLE "a" ADD COLUMN "b" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP',
  'ALTER TABLE "a" ADD COLUMN "b" TEXT NOT NULL DEFAULT \'one, two; (three\'',
  'ALTER TABLE "a" ADD CONSTRAINT "f" FOREIGN KEY ("b") REFERENCES "c"("id") NOT VALID',
  'ALTER TABLE "a" VALIDATE CONSTRAINT "f"',
  'ALTER TABLE "a" ADD CONSTRAINT "u" UNIQUE USING INDEX "i"',
  'ALTER TABLE "a" ALTER COLUMN "b" DROP NOT NULL',
  'ALTER TYPE "t" ADD VALUE \'x\'',
  'CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM a; RETURN NEW; END; $$; -- UPDATE a;',
])('no breach: %s', (sql) => {
  expect(breachesOf({ name: '20270101000000_change', sql })).toEqual([]);
});

test('a contract migration may drop what the previous release no longer uses', () => {
  const dropped = 'ALTER TABLE "a" DROP COLUMN "b"; DROP TABLE "c"';
  expect(breaks(dropped, '20270101000000_contract_a')).toBe(false);
  expect(breaks('ALTER TABLE "a" RENAME TO "b"', '20270101000000_contract_a')).toBe(true);
});

test('a column may be set NOT NULL once a matching constraint was validated', () => {
  const sql = 'ALTER TABLE "a" ALTER COLUMN "b" SET NOT NULL';
  const validated = 'ALTER TABLE "a" VALIDATE CONSTRAINT "a_b_not_null";';
  expect(breaks(sql, '20270101000000_contract_a')).toBe(true);
  expect(breaks(sql, '20270101000000_contract_a', validated)).toBe(false);
});

const first = 'VALIDATE CONSTRAINT "a_first_end"';
const swapped = `
  ALTER TABLE "a" RENAME TO "a_first";
  ALTER INDEX "a_pkey" RENAME TO "a_first_pkey";
  CREATE TABLE "a" (LIKE "a_first" INCLUDING DEFAULTS, CONSTRAINT "a_pkey" PRIMARY KEY ("b", "at")) PARTITION BY RANGE ("at");
  CREATE INDEX "a_at_idx" ON "a" ("at");
  DO $$ BEGIN
    EXECUTE format('ALTER TABLE "a" ATTACH PARTITION "a_first" FOR VALUES FROM (MINVALUE) TO (%L)', (SELECT max("at") FROM "a_first"));
  END $$;
  CREATE TABLE "a_default" PARTITION OF "a" DEFAULT;
  SELECT keep_partitions('a');`;

test('a table with rows may become the first partition once a constraint with its bound was validated', () => {
  expect(breachesOf({ name: '20270101000000_a', sql: swapped }, first)).toEqual([]);
  expect(breaks(swapped)).toBe(true);
  expect(breaks(swapped, '20270101000000_a', 'VALIDATE CONSTRAINT "b_first_end"')).toBe(true);
});

test('a partitioned table may have unique indexes of its own instead of a key, and days that are kept', () => {
  const sql = swapped
    .replace(', CONSTRAINT "a_pkey" PRIMARY KEY ("b", "at")', '')
    .replace('ALTER INDEX "a_pkey" RENAME TO "a_first_pkey";', '')
    .replace(
      'CREATE INDEX "a_at_idx"',
      'CREATE UNIQUE INDEX "a_b_at_key" ON "a" ("b", "at"); CREATE INDEX "a_at_idx"',
    )
    .replace("keep_partitions('a')", "keep_partitions('a', 30)");
  expect(breachesOf({ name: '20270101000000_a', sql }, first)).toEqual([]);
});

test.each<[string, RegExp | string, string]>([
  ['its name goes to no other table', /CREATE TABLE "a" .*/, ''],
  ['it is no partition', /DO \$\$[\s\S]*END \$\$;/, ''],
  ['the columns are not the same', /LIKE "a_first" INCLUDING DEFAULTS/, '"b" TEXT, "at" TIMESTAMPTZ'],
  ['the defaults are not the same', ' INCLUDING DEFAULTS', ''],
  ['an index loses its name', /CONSTRAINT "a_pkey" /, ''],
  [
    'it is changed before',
    'ALTER TABLE "a" RENAME',
    'ALTER TABLE "a" DROP COLUMN "c"; ALTER TABLE "a" RENAME',
  ],
  [
    'an index is made after',
    'SELECT keep_partitions',
    'CREATE INDEX "a_b_idx" ON "a" ("b"); SELECT keep_partitions',
  ],
  [
    'a column is read after',
    'SELECT keep_partitions',
    'ALTER TABLE "a" ADD CHECK (b > 0); SELECT keep_partitions',
  ],
  ['rows are written', 'SELECT max("at") FROM "a_first"', 'DELETE FROM "a_first"'],
  ['a function is called', 'max("at")', 'change_rows("at")'],
  ['the bound is below', 'FROM (MINVALUE)', "FROM (''2027-01-01'')"],
  ['the block has a second statement', 'END $$', 'UPDATE "a_first" SET "b" = 1; END $$'],
  ['another function is called', "SELECT keep_partitions('a')", "SELECT change_partitions('a')"],
])('a table may not become the first partition when %s', (_what, from, to) => {
  const sql = swapped.replace(from, to);
  expect(sql).not.toBe(swapped);
  expect(breaks(sql, '20270101000000_a', first)).toBe(true);
});

test.each([
  'ALTER TABLE "a" ATTACH PARTITION "a_2027" FOR VALUES FROM (MINVALUE) TO (\'2027-01-01\')',
  'CREATE TABLE "a_2027" PARTITION OF "a" FOR VALUES FROM (\'2027-01-01\') TO (\'2028-01-01\')',
  'ALTER TABLE "a" DETACH PARTITION "a_2027"',
  'ALTER INDEX "a_pkey" RENAME TO "b_pkey"',
  'DO $$ BEGIN UPDATE "a" SET "b" = 1; END $$',
  'DO $$ BEGIN EXECUTE format(\'ALTER TABLE "a" ADD CHECK ("b" < %L)\', (SELECT max("b") FROM "a")); END $$',
  'DO $$ BEGIN EXECUTE format(\'ALTER TABLE %I ADD CHECK ("b" < 1) NOT VALID\', (SELECT max("b") FROM "a")); END $$',
  'DO LANGUAGE plpgsql $$ BEGIN EXECUTE format(\'ALTER TABLE "a" ADD CHECK ("b" < %L) NOT VALID\', now()); END $$',
])('a breach of partitions: %s', (sql) => {
  expect(breaks(sql, '20270101000000_a', 'VALIDATE CONSTRAINT "a_2027_end"')).toBe(true);
});

test('a constraint may be computed from the current time and rows', () => {
  const sql =
    'DO $$ BEGIN EXECUTE format(\'ALTER TABLE "a" ADD CONSTRAINT "c" CHECK ("b" < %L) NOT VALID\', (SELECT greatest(now(), max("b")) FROM "a")); END $$';
  expect(breachesOf({ name: '20270101000000_a', sql })).toEqual([]);
});
