import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { authorizationService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { z } from 'zod';
import type { TestKey } from '../harness/api-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import type { RequestOptions } from '../harness/http-request.ts';
import { authorizeApplication, connect, oauthClient, tokensOf } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { startPostgres, type TestPostgres } from '../harness/postgres.ts';
import type { TestRedis } from '../harness/redis.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { byteForms, jwtForms, keyForms, privateKeyForms, type SecretForms } from '../harness/secret-forms.ts';
import {
  commandLine,
  databaseRows,
  logFiles,
  redisContents,
  type ScannedText,
} from '../harness/secret-scan.ts';

/*
 * Promise: secrets are shown once and kept nowhere. After traffic with every kind of success and failure, with all
 * services at their most verbose log level, no database, no Redis, no log and no list of processes holds one.
 */

const marker = 'the-last-request';

let platform: Platform;
let postgres: TestPostgres;
let redis: TestRedis;
let passports: string[];
const keyStrings: string[] = [];
/** Client secrets, codes, verifiers and tokens, by name. */
const ofOauth = new Map<string, string>();

beforeAll(async () => {
  const talkative = { LOG_LEVEL: 'debug' };
  postgres = await startPostgres({ log_min_messages: 'info', log_statement: 'all' });
  platform = await startPlatform({
    createDatabase: postgres.createDatabase,
    gatewayEnv: { ...talkative, UPSTREAM_TIMEOUT_MS: '5000' },
    identityEnv: talkative,
    businessEnv: talkative,
  });
  if (platform.redis === undefined) throw new Error('These tests need Redis.');
  redis = platform.redis;
  await makeTraffic();
  await expectEventually(expectMarkerInLogs, { withinMs: 20_000 });
  await expectEventually(expectMarkerOnRecord, { withinMs: 20_000 });
});
afterAll(async () => {
  await platform.close();
  await postgres.close();
});

const remember = <K extends TestKey>(key: K): K => {
  keyStrings.push(key.keyString);
  return key;
};

const ask = (path: string, options: RequestOptions = {}, method = 'GET') =>
  platform.request(0, method, path, options).then(({ status }) => status);

const me = '/v2/businesses/me';

/** Success and failure of every kind. @throws when one of them does not go as it should */
async function makeTraffic(): Promise<void> {
  const first = remember(await platform.createKey({ name: 'first' }));
  const narrow = remember(await platform.createKey({ type: 'restricted', scopes: ['business:read'] }));
  await restartRedis(first.keyString);
  await expectEventually(() => expectRedisInUse(first.keyString), { withinMs: 20_000 });
  await useKeys(first.keyString, narrow.keyString);
  const rotated = remember(await platform.rotateKey(first));
  await misplaceKey(rotated.keyString);
  await changeKeys(rotated, narrow, first.keyString);
  await connectApplication();
  const last = remember(await platform.createKey());
  await loseParts(last.keyString);
  const recovered = async () => expect(await ask(me, { key: last.keyString })).toBe(200);
  await expectEventually(recovered, { withinMs: 10_000 });
  passports = await issuedPassports();
  await askLast(last);
}

async function useKeys(key: string, narrow: string): Promise<void> {
  const body = {
    currency: 'EUR',
    line_items: [{ name: 'Chair', quantity: 1, unit_amount: 4_900 }],
    customer: { name: 'Ada' },
  };
  const unknown = `${key.slice(0, 10)}${key.slice(10).replace(/./, (c) => (c === 'x' ? 'y' : 'x'))}`;
  expect(await ask(me, { key })).toBe(200);
  expect(await ask('/v2/order', { key, body }, 'POST')).toBe(201);
  expect(await ask('/v2/order', { key, body: { key: 1 } }, 'POST')).toBe(400);
  expect(await ask('/v2/order', { key: narrow })).toBe(403);
  expect(await ask('/v2/nothing', { key })).toBe(404);
  expect(await ask(me, { key }, 'DELETE')).toBe(405);
  expect(await ask(me, { key: unknown })).toBe(401);
  expect(await ask(me, { key: `${key}x` })).toBe(401);
  expect(await ask(`${me}//`, { key })).toBe(400);
}

/** An application connects, refreshes and disconnects, with mistakes on the way. */
async function connectApplication(): Promise<void> {
  const owner = await signUpVerified(platform);
  const application = await platform.createApplication({
    businessId: platform.businessId,
    repeatLostRefresh: true,
  });
  const client = oauthClient(platform, application);
  const burned = await authorizeApplication(owner.browser, application);
  expect((await client.exchange(burned.code, 'v'.repeat(43))).status).toBe(400);
  const used = await authorizeApplication(owner.browser, application);
  expect((await client.exchange(used.code, used.verifier, { client_secret: burned.code })).status).toBe(401);
  expect((await client.exchange(used.code, used.verifier)).status).toBe(200);
  const first = await connect(platform, owner.browser, application);
  expect(await ask(me, { key: first.accessToken })).toBe(200);
  await misplaceKey(first.accessToken);
  await misplaceKey(first.refreshToken);
  const refreshed = await client.refresh(first.refreshToken);
  expect(refreshed.status).toBe(200);
  const second = z.object({ access_token: z.string(), refresh_token: z.string() }).parse(refreshed.body);
  expect((await client.revoke(second.refresh_token)).status).toBe(200);
  // Sealed for a repetition of the request, and not revoked.
  const kept = tokensOf(
    await client.refresh((await connect(platform, owner.browser, application)).refreshToken),
  );
  const secrets = {
    'client secret': application.clientSecret,
    'burned code': burned.code,
    'used code': used.code,
    'burned verifier': burned.verifier,
    'used verifier': used.verifier,
    'access token': first.accessToken,
    'refresh token': first.refreshToken,
    'second access token': second.access_token,
    'second refresh token': second.refresh_token,
    'kept access token': kept.accessToken,
    'kept refresh token': kept.refreshToken,
  };
  for (const [name, secret] of Object.entries(secrets)) ofOauth.set(name, secret);
}

/** Places where clients put keys by mistake. */
async function misplaceKey(key: string): Promise<void> {
  const basic = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
  await ask(`${me}?api_key=${key}`, { key });
  await ask(`${me}?api_key=${key}`);
  await ask(`/v2/order?cursor=${key}`, { key });
  await ask(`/v2/order/${key}`, { key });
  await ask(`/v2/${key}/x`, { key });
  await ask(`/v2/${key.replace('_', '%5f')}`, { key });
  await ask(`/v2/order/${key.slice(3)}`, { key });
  await ask(`/${'x-'.repeat(80)}${key}`, { key });
  const places = ['X-Api-Key', 'Cookie', 'User-Agent', 'Referer', 'X-Request-Id', 'X-Passport', 'Via'];
  for (const name of places) await ask(me, { key, headers: { [name]: key } });
  for (const value of [key, basic, `Token ${key}`, `Bearer ${key} ${key}`]) {
    await ask(me, { headers: { Authorization: value } });
  }
  await ask(me, { key, headers: { Host: key } });
  await ask(me, { key, headers: { 'X-Forwarded-For': key } });
}

async function changeKeys(key: TestKey, narrow: TestKey, oldKeyString: string): Promise<void> {
  expect(await ask(me, { key: oldKeyString })).toBe(401);
  await platform.updateKey(narrow, { scopes: ['orders:read'], name: 'narrower' });
  await platform.setKeyLimit(key, 1);
  await ask(me, { key: key.keyString });
  expect(await ask(me, { key: key.keyString })).toBe(429);
  await platform.deleteKey(narrow);
  expect(await ask(me, { key: narrow.keyString })).toBe(401);
  await expect(platform.rotateKey(narrow)).rejects.toMatchObject({ reason: 'api_key_not_found' });
  const expired = remember(await platform.createKey({ expiresAt: new Date(Date.now() + 3_600_000) }));
  const past = "UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1";
  await platform.sql(past, [expired.id]);
  expect(await ask(me, { key: expired.keyString })).toBe(401);
}

/** Each part fails in the face of a request, so that its errors are logged. */
async function loseParts(key: string): Promise<void> {
  for (const part of [redis, postgres, ...platform.identities, ...platform.businesses]) {
    part.freeze();
    await ask(me, { key });
    part.thaw();
  }
  await postgres.stop();
  await ask(me, { key });
  const failing = platform.createKey().catch((error: unknown) => error);
  expect(await failing).toMatchObject({ kind: 'unavailable' });
  await postgres.start();
}

/** Runs early, since it removes data that is searched later. */
async function restartRedis(key: string): Promise<void> {
  await redis.stop();
  await ask(me, { key });
  await redis.start();
}

/** Waits until Redis has the generation of the business again. */
const expectRedisInUse = async (key: string) => {
  await ask(me, { key });
  expect(await redis.command('EXISTS', `gen:{${platform.businessId}}`)).toBe(1);
};

/** The passports that were used: identity-service hands the same one out again. */
async function issuedPassports(): Promise<string[]> {
  const { rpc, close } = createGrpcClient(authorizationService, {
    target: platform.targets.identity,
    tls: { kind: 'plain' },
  });
  const questions = keyStrings.map((bearer) => ({ bearer, clientIp: '192.0.2.1', requiredScope: '' }));
  const responses = await Promise.all(questions.map((q) => rpc.Authorize(q, { deadlineMs: 30_000 })));
  close();
  const issued = responses.map(({ passport }) => passport).filter((passport) => passport !== '');
  expect(issued.length).toBeGreaterThan(0);
  return issued;
}

/** Resolves when the logs are complete: log lines are written in batches. */
async function askLast({ businessId, keyString }: TestKey): Promise<void> {
  const target = platform.targets.identity;
  const { rpc, close } = createGrpcClient(authorizationService, { target, tls: { kind: 'plain' } });
  const question = { bearer: keyString, clientIp: '192.0.2.1', requiredScope: '' };
  await rpc.Authorize(question, { deadlineMs: 30_000, requestId: marker });
  close();
  await platform.businessRpc.GetBusiness({ businessId }, { deadlineMs: 30_000, requestId: marker });
  await ask(`/v2/${marker}`);
}

function expectMarkerInLogs(): void {
  const logs = logFiles();
  for (const { logFile } of [...platform.gateways, ...platform.identities, ...platform.businesses]) {
    const log = logs.find(({ where }) => logFile.endsWith(where.slice('log '.length)));
    expect(log?.text).toContain(marker);
  }
}

/** Failed requests are reported in batches, the last one last. */
async function expectMarkerOnRecord(): Promise<void> {
  const path = `/v2/${marker}`;
  const found = await platform.sql('SELECT id FROM request_log WHERE path = $1', [path]);
  expect(found).toHaveLength(1);
}

/** A verifier has no prefix; its plain hash is the challenge, which is no secret. */
const oauthForms = (secret: string): SecretForms =>
  /^[a-z]{2}_/.test(secret) ? keyForms(secret) : [secret, Buffer.from(secret).toString('hex')];

/** Everything that must not be found, by name. */
function secrets(): ReadonlyMap<string, SecretForms> {
  const { keyPepper, passportPrivateKey } = platform.secrets;
  return new Map([
    ...keyStrings.map((key, index): [string, SecretForms] => [`key ${index}`, keyForms(key)]),
    ...[...ofOauth].map(([name, secret]): [string, SecretForms] => [name, oauthForms(secret)]),
    ...passports.map((token, index): [string, SecretForms] => [`passport ${index}`, jwtForms(token)]),
    ['pepper', byteForms(keyPepper, 'hex')],
    ['passport key', privateKeyForms(passportPrivateKey)],
    ['password of Redis', [new URL(redis.url).password]],
    ['password of PostgreSQL', [new URL(platform.databases.identity).password]],
  ]);
}

async function scannedTexts(): Promise<ScannedText[]> {
  const { gateways, identities, businesses } = platform;
  return [
    ...(await databaseRows(platform.databases.identity)),
    ...(await databaseRows(platform.databases.business)),
    ...(await redisContents(redis)),
    ...logFiles(),
    ...[...gateways, ...identities, ...businesses].map(({ pid }) => commandLine(pid)),
  ];
}

/** `<secret> in <place>` for every secret that stands somewhere. */
async function findSecrets(): Promise<string[]> {
  const places = await scannedTexts();
  return [...secrets()].flatMap(([name, forms]) =>
    places
      .filter(({ text }) => forms.some((form) => text.includes(form)))
      .map(({ where }) => `${name} in ${where}`),
  );
}

test('the scan covers the places and secrets that were used', async () => {
  const texts = new Map((await scannedTexts()).map(({ where, text }) => [where, text]));
  expect(texts.get('table public.api_keys')?.split('\n').length).toBeGreaterThanOrEqual(3);
  expect(texts.get('table public.audit_events')).toContain('api_key.rotated');
  expect(texts.get('table public.request_log')).toContain('/v2/order/sk_[redacted]');
  expect(texts.get('table public.orders')).toContain('Chair');
  expect(texts.get('table public.refresh_tokens')?.split('\n').length).toBeGreaterThanOrEqual(3);
  expect(ofOauth.size).toBe(11);
  expect(texts.get('redis snapshot')).toContain(`gen:{${platform.businessId}}`);
});

test('no secret is stored or logged', async () => {
  expect(await findSecrets()).toEqual([]);
});

// Last, because PostgreSQL logs what is planted in it.
describe('a planted secret', () => {
  const scratch = 'CREATE TABLE scratch (text text, bytes bytea)';
  const logFile = () => `${runDirectory().logs}/planted.log`;
  const planted = () => keyStrings[0] ?? '';

  afterAll(async () => {
    await platform.sql('DROP TABLE IF EXISTS scratch');
    await redis.command('DEL', 'planted');
    rmSync(logFile(), { force: true });
  });

  test('is found in a database, in Redis and its snapshot, and in a log', async () => {
    await platform.sql(scratch);
    await platform.sql('INSERT INTO scratch (text) VALUES ($1)', [planted().slice(3)]);
    await redis.command('HSET', 'planted', 'field', planted());
    writeFileSync(logFile(), JSON.stringify({ key: Buffer.from(planted()).toString('base64') }));
    expect(await findSecrets()).toEqual(
      expect.arrayContaining([
        'key 0 in table public.scratch',
        'key 0 in redis key planted',
        'key 0 in redis snapshot',
        'key 0 in log planted.log',
      ]),
    );
  });

  test('is found in a database as bytes', async () => {
    await platform.sql('DELETE FROM scratch');
    const bytes = Buffer.from(planted());
    await platform.sql('INSERT INTO scratch (bytes) VALUES ($1)', [bytes]);
    expect(await findSecrets()).toContain('key 0 in table public.scratch');
  });
});
