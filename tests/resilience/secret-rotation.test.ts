import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type CanaryKeys, connectCanaryKeys } from '../harness/canary-keys.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { startLoad } from '../harness/load.ts';
import { connect, type OAuthClient, oauthClient } from '../harness/oauth.ts';
import { logIn, signUpVerified, type TestPerson } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { createDatabase, openClient, query } from '../harness/postgres.ts';
import { register } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';
import type { Environment, TestService } from '../harness/service.ts';

// Each test restarts most of the platform several times.
jest.setTimeout(600_000);

/** Secrets are replaced as docs/operations/rotate-secrets.md says, with two replicas of each service, under load. */

const platform = running(() =>
  startPlatform({
    gateways: 2,
    identities: 2,
    businesses: 2,
    createDatabase: createOwnedDatabase,
  }),
);
let owner: TestPerson;
let client: OAuthClient;
let refreshToken: string;
let apiKey: string;
/** Made by the replicas, with the secrets that they have. */
let keys: CanaryKeys;
beforeAll(async () => {
  owner = await signUpVerified(platform);
  keys = connectCanaryKeys(platform.targets.identity, platform.businessId);
  const application = await platform.createApplication({ businessId: owner.businessId });
  client = oauthClient(platform, application);
  ({ refreshToken } = await connect(platform, owner.browser, application));
});

afterAll(() => keys.disconnect());

/** A database of a role of its own, as an installation has it. */
async function createOwnedDatabase(): Promise<string> {
  const url = new URL(await createDatabase());
  const [role, password] = [newRole(), secret()];
  await query(url.href, `CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
  await query(url.href, `ALTER DATABASE "${url.pathname.slice(1)}" OWNER TO ${role}`);
  [url.username, url.password] = [role, password];
  return url.href;
}

const newRole = () => `role_${randomBytes(6).toString('hex')}`;
const secret = () => randomBytes(32).toString('hex');
const encryptionKey = () => randomBytes(32).toString('base64');

/** Variables that were changed: they stay so when the service starts once more. */
const changed = new Map<TestService, Environment>();

async function restartOne(service: TestService, env: Environment): Promise<void> {
  changed.set(service, { ...changed.get(service), ...env });
  await service.stop();
  await service.start(changed.get(service));
}

const always = async () => {};

/** Restarts replicas one after the other, and checks after each that the rest of the platform goes on with it. */
async function restart(services: readonly TestService[], env: Environment, check = always): Promise<void> {
  for (const service of services) {
    await restartOne(service, env);
    await check();
  }
}

/** Requests of an API key, and of a session, while `run` works. None may fail. Each load has a key of its own, and its limit. */
async function underLoad(run: () => Promise<void>): Promise<void> {
  apiKey = (await keys.takeKey(secret())).keyString;
  const Cookie = [...owner.browser.cookies].map((pair) => pair.join('=')).join('; ');
  const ports = platform.gatewayPorts;
  const loads = [
    startLoad({ ports, path: '/v2/businesses/me', rate: 15, key: () => apiKey }),
    startLoad({ ports, path: '/dashboard', rate: 5, headers: { Cookie } }),
    startLoad({ ports, path: '/login', rate: 5 }),
  ];
  const more = async () => {
    for (const { report } of loads) {
      const before = report.records.length;
      await expectEventually(() => expect(report.records.length).toBeGreaterThan(before + 10), {
        withinMs: 20_000,
      });
    }
  };
  try {
    await more();
    await run();
    await more();
  } finally {
    await Promise.all(loads.map(({ stop }) => stop()));
  }
  const counts = loads.map(({ report }) => report.counts());
  expect(counts).toEqual(loads.map(({ report }) => ({ 200: report.records.length })));
}

const statusOf = async (gateway: number, key: string) => (await platform.me(key, gateway)).status;

/** Credentials that either replica makes are good at both: each is asked several times. */
async function newCredentialsWork(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    const { keyString } = await keys.takeKey(secret());
    expect([await statusOf(0, keyString), await statusOf(1, keyString)]).toEqual([200, 200]);
    const browser = await logIn(platform, owner, round % 2);
    for (let page = 0; page < 2; page++) {
      expect((await browser.send('GET', '/dashboard')).status).toBe(200);
    }
  }
}

/** A refresh, and its repetitions, whose response is sealed. */
async function refreshesRepeat(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const headers = { 'Idempotency-Key': secret() };
    const { status, body } = await client.refresh(refreshToken, {}, headers);
    expect(status).toBe(200);
    for (const gateway of [0, 1, 0]) {
      expect((await client.refresh(refreshToken, {}, headers, gateway)).body).toEqual(body);
    }
    refreshToken = String(body.refresh_token);
  }
}

async function everythingWorks(): Promise<void> {
  await newCredentialsWork();
  await refreshesRepeat();
}

test('the peppers, session secrets and encryption keys are replaced without a failed request', async () => {
  const { identities, secrets } = platform;
  const names = { KEY_PEPPERS: secrets.keyPepper, SESSION_SECRETS: secrets.sessionSecret };
  const [pepper, session, encryption] = [secret(), secret(), encryptionKey()];
  // Never used, so no gateway has it in its cache.
  const { keyString: unused } = await keys.takeKey('unused');
  const { browser: early } = owner;
  await underLoad(async () => {
    const accepted = {
      KEY_PEPPERS: `${names.KEY_PEPPERS},${pepper}`,
      SESSION_SECRETS: `${names.SESSION_SECRETS},${session}`,
      ENCRYPTION_KEYS: `${secrets.encryptionKey},${encryption}`,
    };
    await restart(identities, accepted, everythingWorks);
    const used = {
      KEY_PEPPERS: `${pepper},${names.KEY_PEPPERS}`,
      SESSION_SECRETS: `${session},${names.SESSION_SECRETS}`,
      ENCRYPTION_KEYS: `${encryption},${secrets.encryptionKey}`,
    };
    await restart(identities, used, everythingWorks);
  });
  owner = { ...owner, browser: await logIn(platform, owner) };
  const application = await register(await openDashboard(owner, owner.browser), owner);
  client = oauthClient(platform, application);
  ({ refreshToken } = await connect(platform, owner.browser, application));
  await underLoad(() =>
    restart(
      identities,
      { KEY_PEPPERS: pepper, SESSION_SECRETS: session, ENCRYPTION_KEYS: encryption },
      everythingWorks,
    ),
  );
  expect(await statusOf(0, unused)).toBe(401);
  expect((await early.send('GET', '/dashboard')).status).toBe(303);
});

test('the tag keys are replaced without a failed request', async () => {
  const { gateways, identities, secrets } = platform;
  const next = secret();
  const [accepted, used] = [`${secrets.credentialTagKey},${next}`, `${next},${secrets.credentialTagKey}`];
  await underLoad(async () => {
    await restart(gateways, { CREDENTIAL_TAG_KEYS: accepted }, newCredentialsWork);
    await restart(identities, { CREDENTIAL_TAG_KEYS: used }, newCredentialsWork);
    apiKey = (await keys.takeKey(secret())).keyString;
    await restart(gateways, { CREDENTIAL_TAG_KEYS: used }, newCredentialsWork);
  });
});

test('the passport keys are replaced without a failed request', async () => {
  const { businesses, identities, secrets } = platform;
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const next = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const signing = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  await underLoad(async () => {
    await restart(businesses, { PASSPORT_PUBLIC_KEYS: `${secrets.passportPublicKey},${next}` });
    await restart(identities, { PASSPORT_PRIVATE_KEY: signing }, newCredentialsWork);
  });
});

test('the passwords of the databases are replaced without a failed request', async () => {
  const { businesses, identities, databases } = platform;
  for (const [services, database] of [
    [identities, databases.identity],
    [businesses, databases.business],
  ] as const) {
    const url = new URL(database);
    const admin = new URL(process.env.HARNESS_POSTGRES_URL ?? '');
    const [role, password] = [newRole(), secret()];
    await query(admin.href, `CREATE ROLE ${role} LOGIN PASSWORD '${password}' IN ROLE ${url.username}`);
    await query(admin.href, `ALTER ROLE ${role} SET role = '${url.username}'`);
    const old = url.username;
    [url.username, url.password] = [role, password];
    await underLoad(async () => {
      await restart(services, { DATABASE_URL: url.href }, newCredentialsWork);
      await query(admin.href, `ALTER ROLE ${old} NOLOGIN`);
    });
    await expect(openClient(database)).rejects.toThrow('not permitted to log in');
  }
});

/** Makes a role as deploy/docker/databases.sh does; resolves to the URL as this role. */
async function addRunner(database: string): Promise<URL> {
  const url = new URL(database);
  const [role, password] = [newRole(), secret()];
  const admin = new URL(process.env.HARNESS_POSTGRES_URL ?? '');
  admin.pathname = url.pathname;
  await query(admin.href, `CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
  await query(admin.href, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
  await query(admin.href, `GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
  [url.username, url.password] = [role, password];
  return url;
}

test('roles that own nothing are replaced by new roles that own nothing', async () => {
  const { businesses, identities, databases } = platform;
  const admin = process.env.HARNESS_POSTGRES_URL ?? '';
  for (const [services, database, table] of [
    [identities, databases.identity, 'audit_events'],
    [businesses, databases.business, 'businesses'],
  ] as const) {
    const before = await addRunner(database);
    const after = new URL(before);
    [after.username, after.password] = [newRole(), secret()];
    await restart(services, { DATABASE_URL: before.href });
    await query(
      admin,
      `CREATE ROLE ${after.username} LOGIN PASSWORD '${after.password}' IN ROLE ${before.username}`,
    );
    await underLoad(async () => {
      await restart(services, { DATABASE_URL: after.href }, newCredentialsWork);
      await query(admin, `ALTER ROLE ${before.username} NOLOGIN`);
    });
    await expect(openClient(before.href)).rejects.toThrow('not permitted to log in');
    await expect(query(after.href, `ALTER TABLE ${table} DISABLE TRIGGER ALL`)).rejects.toThrow(
      'must be owner',
    );
  }
});

test('the password of Redis is replaced without a failed request', async () => {
  const { gateways, identities, redis } = platform;
  const url = new URL(redis?.url ?? '');
  const old = url.password;
  url.password = secret();
  await underLoad(async () => {
    await redis?.command('ACL', 'SETUSER', 'default', `>${url.password}`);
    await restart(identities, { REDIS_URL: url.href }, newCredentialsWork);
    await restart(gateways, { REDIS_URL: url.href }, newCredentialsWork);
    await redis?.command('ACL', 'SETUSER', 'default', `<${old}`);
    await newCredentialsWork();
  });
  await expect(redis?.command('PING')).rejects.toThrow();
});

test('the secret between gateways and identity-service is replaced without a failed request', async () => {
  const { gateways, identities, secrets } = platform;
  const next = secret();
  await underLoad(async () => {
    await restart(identities, { GATEWAY_SECRET: `${secrets.gatewaySecret},${next}` });
    await restart(gateways, { GATEWAY_SECRET: next });
    await restart(identities, { GATEWAY_SECRET: next });
  });
});

test('the replaced secret between gateways and identity-service no longer works', async () => {
  const [gateway] = platform.gateways;
  await restart(gateway ? [gateway] : [], { GATEWAY_SECRET: platform.secrets.gatewaySecret });
  expect((await platform.request(0, 'GET', '/login')).status).toBe(404);
  expect((await platform.request(1, 'GET', '/login')).status).toBe(200);
});
