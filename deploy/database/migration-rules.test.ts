import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { breachesOf, type Migration } from './migration-rules.ts';
import { databaseServices } from './services.ts';

/** The last migration of each service that was written before these rules; no installation upgrades over those before. */
const baselines: Readonly<Record<string, string>> = {
  'identity-service': '20261122224900_limit_requests',
  'business-service': '20261122213000_usernames',
  'webhook-service': '20261122124402_recoveries',
};

function migrationsOf(root: string): readonly Migration[] {
  const directory = join(root, 'prisma/migrations');
  const names = readdirSync(directory).filter((name) => !name.endsWith('.toml'));
  return names
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(directory, name, 'migration.sql'), 'utf8') }));
}

test.each(databaseServices())(
  'migrations of $name expand the schema, and contract it in a later release',
  ({ name, root }) => {
    const migrations = migrationsOf(root);
    const baseline = migrations.findIndex((migration) => migration.name === baselines[name]);
    expect(baseline).not.toBe(-1);
    const breaches = migrations.flatMap((migration, index) => {
      const earlier = migrations.slice(0, index).map(({ sql }) => sql);
      return index > baseline ? breachesOf(migration, earlier.join('\n')) : [];
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

test('what the release before no longer uses is dropped in a migration that says so', () => {
  const dropped = 'ALTER TABLE "a" DROP COLUMN "b"; DROP TABLE "c"';
  expect(breaks(dropped, '20270101000000_contract_a')).toBe(false);
  expect(breaks('ALTER TABLE "a" RENAME TO "b"', '20270101000000_contract_a')).toBe(true);
});

test('a column is NOT NULL after a constraint that says so was validated', () => {
  const sql = 'ALTER TABLE "a" ALTER COLUMN "b" SET NOT NULL';
  const validated = 'ALTER TABLE "a" VALIDATE CONSTRAINT "a_b_not_null";';
  expect(breaks(sql, '20270101000000_contract_a')).toBe(true);
  expect(breaks(sql, '20270101000000_contract_a', validated)).toBe(false);
});
