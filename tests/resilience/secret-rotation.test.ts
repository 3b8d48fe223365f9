import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { authorizationService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { type CanaryKeys, connectCanaryKeys } from '../harness/canary-keys.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { startLoad } from '../harness/load.ts';
import { connect, type OAuthClient, oauthClient } from '../harness/oauth.ts';
import { logIn, signUpVerified, type TestPerson } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { createDatabase, openClient, query } from '../harness/postgres.ts';
import { register } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';
import type { Environment, TestService } from '../harness/service.ts';

// It restarts most of the platform several times.
jest.setTimeout(600_000);

/**
 * Secrets are replaced as docs/operations/rotate-secrets.md says, with two replicas of each service, under load. The procedures
 * of several secrets share the restarts: each has its own order among them.
 */

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
/** Made by each replica, with the secrets that it has. */
let makers: readonly CanaryKeys[];
beforeAll(async () => {
  owner = await signUpVerified(platform);
  makers = platform.identities.map(({ ports }) =>
    connectCanaryKeys(`ipv4:127.0.0.1:${ports.grpc}`, platform.businessId),
  );
  const application = await platform.createApplication({ businessId: owner.businessId });
  client = oauthClient(platform, application);
  ({ refreshToken } = await connect(platform, owner.browser, application));
});

afterAll(() => {
  for (const maker of makers) maker.disconnect();
});

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

/** Restarts replicas one after the other, and checks after each that the rest of the platform goes on with it. */
async function restart(
  services: readonly TestService[],
  env: Environment,
  check: () => Promise<void>,
): Promise<void> {
  for (const service of services) {
    await restartOne(service, env);
    await check();
  }
}

/** A key of a replica, which has just started where its call fails. */
const takeKey = (maker: CanaryKeys | undefined) =>
  expectEventually(async () => String((await maker?.takeKey(secret()))?.keyString), { withinMs: 10_000 });

/** Requests of an API key, and of a session, while `run` works. None may fail. Each load has a key of its own, and its limit. */
async function underLoad(run: () => Promise<void>): Promise<void> {
  apiKey = await takeKey(makers[0]);
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

/** Whether a replica takes requests with this secret for those of a gateway. */
const trusts = async (replica: TestService | undefined, gatewaySecret: string) => {
  const headers = { 'X-Gateway-Secret': gatewaySecret };
  const { status } = await request(replica?.ports.http ?? 0, 'GET', '/login', { headers });
  return status !== 404;
};

/** Credentials that either replica makes are good at both: each is asked several times. */
async function newCredentialsWork(): Promise<void> {
  for (const [gateway, maker] of makers.entries()) {
    const key = await takeKey(maker);
    expect([await statusOf(0, key), await statusOf(1, key)]).toEqual([200, 200]);
    await expectKnown(key);
    const browser = await logIn(platform, owner, gateway);
    for (let page = 0; page < 2; page++) {
      expect((await browser.send('GET', '/dashboard')).status).toBe(200);
    }
  }
}

/** Every replica knows a key, regardless of which one the gateways asked. */
async function expectKnown(bearer: string): Promise<void> {
  for (const { ports } of platform.identities) {
    const target = `ipv4:127.0.0.1:${ports.grpc}`;
    const { rpc, close } = createGrpcClient(authorizationService, { target, tls: { kind: 'plain' } });
    const question = { bearer, clientIp: '192.0.2.1', requiredScope: 'business:read' };
    const { outcome } = await rpc.Authorize(question, { deadlineMs: 30_000 });
    expect(outcome).toBe('OUTCOME_ALLOWED');
    close();
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

const administrator = process.env.HARNESS_POSTGRES_URL ?? '';

/** Another role with the rights of the one in a URL; resolves to the URL as this role. */
async function successorOf(before: URL): Promise<URL> {
  const url = new URL(before);
  [url.username, url.password] = [newRole(), secret()];
  await query(
    administrator,
    `CREATE ROLE ${url.username} LOGIN PASSWORD '${url.password}' IN ROLE ${before.username}`,
  );
  return url;
}

/** Makes a role as deploy/docker/databases.sh does; resolves to the URL as this role. */
async function addRunner(database: string): Promise<URL> {
  const url = new URL(database);
  const [role, password] = [newRole(), secret()];
  const admin = new URL(administrator);
  admin.pathname = url.pathname;
  await query(admin.href, `CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
  await query(admin.href, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
  await query(admin.href, `GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
  [url.username, url.password] = [role, password];
  return url;
}

test('every secret is replaced without a failed request, and the dropped ones are good for nothing', async () => {
  const { gateways, identities, businesses, databases, redis, secrets } = platform;
  const [pepper, session, encryption] = [secret(), secret(), encryptionKey()];
  const [tagKey, gatewaySecret] = [secret(), secret()];
  const passport = generateKeyPairSync('ed25519');
  const redisUrl = new URL(redis?.url ?? '');
  const redisPassword = redisUrl.password;
  redisUrl.password = secret();
  // The role that owns the tables, of business-service; one that owns nothing, of identity-service.
  const owning = new URL(databases.business);
  const nextOwning = await successorOf(owning);
  await query(administrator, `ALTER ROLE ${nextOwning.username} SET role = '${owning.username}'`);
  const runner = await addRunner(databases.identity);
  const nextRunner = await successorOf(runner);
  // Never used, so no gateway has it in its cache.
  const unused = await takeKey(makers[0]);
  const { browser: early } = owner;

  await underLoad(async () => {
    await redis?.command('ACL', 'SETUSER', 'default', `>${redisUrl.password}`);
    const accepted = {
      KEY_PEPPERS: `${secrets.keyPepper},${pepper}`,
      SESSION_SECRETS: `${secrets.sessionSecret},${session}`,
      ENCRYPTION_KEYS: `${secrets.encryptionKey},${encryption}`,
      GATEWAY_SECRET: `${secrets.gatewaySecret},${gatewaySecret}`,
      REDIS_URL: redisUrl.href,
    };
    await restart(identities, accepted, everythingWorks);
    const next = passport.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    const ofBusiness = {
      PASSPORT_PUBLIC_KEYS: `${secrets.passportPublicKey},${next}`,
      DATABASE_URL: nextOwning.href,
    };
    await restart(businesses, ofBusiness, newCredentialsWork);
    await query(administrator, `ALTER ROLE ${owning.username} NOLOGIN`);
    const ofGateway = {
      CREDENTIAL_TAG_KEYS: `${secrets.credentialTagKey},${tagKey}`,
      GATEWAY_SECRET: gatewaySecret,
      REDIS_URL: redisUrl.href,
    };
    await restart(gateways, ofGateway, newCredentialsWork);
    const used = {
      KEY_PEPPERS: `${pepper},${secrets.keyPepper}`,
      SESSION_SECRETS: `${session},${secrets.sessionSecret}`,
      ENCRYPTION_KEYS: `${encryption},${secrets.encryptionKey}`,
      CREDENTIAL_TAG_KEYS: `${tagKey},${secrets.credentialTagKey}`,
      PASSPORT_PRIVATE_KEY: passport.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
      GATEWAY_SECRET: gatewaySecret,
      DATABASE_URL: runner.href,
    };
    await restart(identities, used, everythingWorks);
    await redis?.command('ACL', 'SETUSER', 'default', `<${redisPassword}`);
  });

  owner = { ...owner, browser: await logIn(platform, owner) };
  const application = await register(await openDashboard(owner, owner.browser), owner);
  client = oauthClient(platform, application);
  ({ refreshToken } = await connect(platform, owner.browser, application));
  await underLoad(async () => {
    const last = {
      KEY_PEPPERS: pepper,
      SESSION_SECRETS: session,
      ENCRYPTION_KEYS: encryption,
      DATABASE_URL: nextRunner.href,
    };
    await restart(identities, last, everythingWorks);
    await query(administrator, `ALTER ROLE ${runner.username} NOLOGIN`);
    await restart(gateways, { CREDENTIAL_TAG_KEYS: tagKey }, newCredentialsWork);
  });

  expect(await statusOf(0, unused)).toBe(401);
  expect((await early.send('GET', '/dashboard')).status).toBe(303);
  for (const replica of identities) {
    expect(await trusts(replica, secrets.gatewaySecret)).toBe(false);
    expect(await trusts(replica, gatewaySecret)).toBe(true);
  }
  for (const before of [owning, runner]) {
    await expect(openClient(before.href)).rejects.toThrow('not permitted to log in');
  }
  await expect(redis?.command('PING')).rejects.toThrow();
  await expect(query(nextRunner.href, 'ALTER TABLE audit_events DISABLE TRIGGER ALL')).rejects.toThrow(
    'must be owner',
  );
});
