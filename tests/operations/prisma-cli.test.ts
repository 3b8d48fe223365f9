import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { createDatabase } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** `npm run prisma`: Prisma's command line on schema and database of a service, without a download. */

const program = fileURLToPath(new URL('../../deploy/database/prisma.ts', import.meta.url));

const platform = running(sharedPlatform);

const prisma = (args: readonly string[], databaseUrl?: string): Promise<{ code: number; text: string }> =>
  new Promise((resolve) => {
    const variables = { PATH: process.env.PATH, LOCAL_DIR: '/nonexistent' };
    const env = databaseUrl === undefined ? variables : { ...variables, DATABASE_URL: databaseUrl };
    execFile(process.execPath, [program, ...args], { env, timeout: 110_000 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), text: out + err });
    });
  });

test('prisma validate succeeds for each service', async () => {
  const services = ['identity-service', 'business-service', 'webhook-service'];
  for (const { code, text } of await Promise.all(services.map((service) => prisma([service, 'validate'])))) {
    expect([code, text]).toEqual([0, expect.stringContaining('is valid')]);
  }
});

test('prisma migrate status reports a migrated database as up to date', async () => {
  const { identity, business } = platform.databases;
  const runs = [
    prisma(['identity-service', 'migrate', 'status'], identity),
    prisma(['business-service', 'migrate', 'status'], business),
  ];
  for (const { code, text } of await Promise.all(runs)) {
    expect([code, text]).toEqual([0, expect.stringContaining('Database schema is up to date!')]);
  }
});

test('prisma migrate status names missing migrations, and changes nothing', async () => {
  const empty = await createDatabase();
  for (let n = 0; n < 2; n++) {
    const { code, text } = await prisma(['business-service', 'migrate', 'status'], empty);
    expect([code, text]).toEqual([1, expect.stringContaining('not yet been applied')]);
  }
});

test('prisma names a database that does not respond', async () => {
  const nowhere = 'postgresql://user:password@127.0.0.1:1/none';
  const { code, text } = await prisma(['business-service', 'migrate', 'status'], nowhere);
  expect([code, text]).toEqual([1, expect.stringContaining('P1001: The database at 127.0.0.1:1')]);
});

test.each([
  [[], 'usage: npm run prisma -- <identity-service|'],
  [['identity-service', 'migrate', 'reset', '--force'], 'usage'],
  [['identity-service', 'migrate', 'status'], 'Set DATABASE_URL, or start the platform with npm start.'],
])('prisma with %j says what to do', async (args, words) => {
  expect(await prisma(args)).toEqual({ code: 1, text: expect.stringContaining(words) });
});
