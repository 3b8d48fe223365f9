import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { feedPage } from '../harness/event-feed.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { startLoad } from '../harness/load.ts';
import { connect, oauthClient, tokensOf } from '../harness/oauth.ts';
import { logIn, signUpVerified } from '../harness/people.ts';
import { startPgBouncer } from '../harness/pgbouncer.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { createDatabase, query } from '../harness/postgres.ts';
import { spawnService } from '../harness/service.ts';

/*
 * Promise: identity-service and business-service work through PgBouncer in transaction mode, with fewer connections than
 * they have in their pools, as a role that owns nothing; set up as docs/operations/database.md says.
 */

const suffix = randomBytes(4).toString('hex');
const password = randomBytes(16).toString('hex');
const owner = `owner_${suffix}`;
const runner = `runner_${suffix}`;
const poolSize = 3;

/** URL of a database as a role, without the pooler. */
function as(role: string, databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = password;
  return url.href;
}

/** A database of the owner, in which the other role may read and write rows. */
async function newDatabase(): Promise<string> {
  const url = await createDatabase();
  const name = new URL(url).pathname.slice(1);
  for (const statement of [
    `ALTER DATABASE "${name}" OWNER TO ${owner}`,
    // What a server may have; the settings of the role count.
    `ALTER DATABASE "${name}" SET timezone = 'Asia/Tokyo'`,
    `ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${runner}`,
    `ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} GRANT USAGE ON SEQUENCES TO ${runner}`,
  ])
    await query(url, statement);
  return url;
}

let platform: Platform;
let pooler: Awaited<ReturnType<typeof startPgBouncer>>;
let urls: { identity: string; business: string };
beforeAll(async () => {
  const server = await createDatabase();
  for (const role of [owner, runner]) await query(server, `CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
  urls = { identity: await newDatabase(), business: await newDatabase() };
  const passwords = { [owner]: password, [runner]: password };
  const behind = { databaseUrl: as(owner, server), passwords, poolSize };
  pooler = await startPgBouncer(behind);
  const pooling = { DATABASE_POOLING: 'transaction' };
  // Before the role has its settings.
  const early = spawnService('business-service', {
    DATABASE_URL: pooler.pooled(as(runner, urls.business)),
    MIGRATION_DATABASE_URL: as(owner, urls.business),
    LISTEN_DATABASE_URL: as(runner, urls.business),
    PASSPORT_PUBLIC_KEYS: 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=',
    ...pooling,
  });
  await expect(early).rejects.toThrow(
    new RegExp(`first ALTER ROLE "${runner}" SET timezone = 'UTC'; .*statement_timeout = '2s'; .*'5s';`),
  );
  await query(
    server,
    `ALTER ROLE ${runner} SET timezone = 'UTC'; ALTER ROLE ${runner} SET statement_timeout = '2s';
     ALTER ROLE ${runner} SET idle_in_transaction_session_timeout = '5s'`,
  );
  await pooler.close();
  pooler = await startPgBouncer(behind);
  const pooled = [urls.identity, urls.business].map((url) => pooler.pooled(as(runner, url)));
  platform = await startPlatform({
    identities: 2,
    businesses: 2,
    createDatabase: async () => pooled.shift() ?? '',
    identityEnv: { ...pooling, MIGRATION_DATABASE_URL: as(owner, urls.identity) },
    businessEnv: {
      ...pooling,
      MIGRATION_DATABASE_URL: as(owner, urls.business),
      LISTEN_DATABASE_URL: as(runner, urls.business),
    },
  });
});
afterAll(async () => {
  await platform?.close();
  await pooler?.close();
});

const get = (key: string, path = '/v2/businesses/me') => platform.request(0, 'GET', path, { key });

test('requests, refreshes and logins succeed, and revocations hold', async () => {
  const person = await signUpVerified(platform);
  const application = await platform.createApplication({ businessId: person.businessId });
  let tokens = await connect(platform, person.browser, application);
  const key = await platform.createKey();
  const load = startLoad({ ports: platform.gatewayPorts, rate: 20, path: '/v2/order', key: key.keyString });
  for (let n = 0; n < 10; n++) {
    tokens = tokensOf(await oauthClient(platform, application).refresh(tokens.refreshToken));
    expect((await get(tokens.accessToken)).status).toBe(200);
    await logIn(platform, person);
  }
  expect((await load.stop()).failures(200)).toEqual([]);
  expect((await oauthClient(platform, application).revoke(tokens.accessToken)).status).toBe(200);
  expect((await get(tokens.accessToken)).status).toBe(401);
  await platform.deleteKey(key);
  expect((await get(key.keyString)).status).toBe(401);
});

test('a few connections serve all of them, without statements that another client prepared', async () => {
  const [row] = await query<{ most: string }>(
    urls.identity,
    `SELECT max(n) AS most FROM (SELECT count(*) AS n FROM pg_stat_activity
     WHERE usename = $1 AND application_name NOT LIKE '%notifications' GROUP BY datname) AS counts`,
    [runner],
  );
  expect(Number(row?.most)).toBeGreaterThan(0);
  expect(Number(row?.most)).toBeLessThanOrEqual(poolSize);
  const settings = await platform.sql(
    "SELECT count(*)::integer AS prepared, current_setting('TimeZone') AS zone FROM pg_prepared_statements",
  );
  expect(settings).toEqual([{ prepared: 0, zone: 'UTC' }]);
});

test('a request that waits for an event gets one that another replica stored', async () => {
  const { keyString } = await platform.createKey();
  const start = feedPage(await get(keyString, '/v2/events'));
  const waiting = get(keyString, `/v2/events?wait=20&after=${start.next_cursor}`);
  await expectEventually(
    async () => {
      const listeners = await query(
        urls.business,
        "SELECT FROM pg_stat_activity WHERE application_name = 'business-service notifications' AND datname = current_database()",
      );
      expect(listeners).toHaveLength(2);
    },
    { withinMs: 5_000 },
  );
  const body = {
    currency: 'EUR',
    line_items: [{ name: 'Tea', quantity: 1, unit_amount: 450 }],
    customer: { name: 'Ada', email: 'ada@example.com' },
  };
  expect((await platform.request(0, 'POST', '/v2/order', { key: keyString, body })).status).toBe(201);
  expect(feedPage(await waiting).data.map(({ type }) => type)).toEqual(['order.created']);
});

test('the role of the running services owns nothing', async () => {
  const [owned] = await query<{ count: string }>(
    urls.identity,
    'SELECT count(*) FROM pg_class JOIN pg_roles ON pg_roles.oid = relowner WHERE rolname = $1',
    [runner],
  );
  expect(owned?.count).toBe('0');
  for (const statement of [
    'DROP TABLE api_keys',
    'ALTER TABLE audit_events DISABLE TRIGGER ALL',
    'TRUNCATE sessions',
    'CREATE TABLE mine (id INTEGER)',
  ]) {
    await expect(platform.sql(statement)).rejects.toThrow(/must be owner|permission denied/);
  }
});
