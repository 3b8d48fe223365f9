import { beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { adminJsonOn } from '../harness/admin.ts';
import type { TestKey } from '../harness/api-keys.ts';
import type { TestApplication } from '../harness/applications.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { changeEmail } from '../harness/email-change.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { png, sendLogo } from '../harness/logo.ts';
import { connect, knock, oauthClient, type Tokens, tokensOf } from '../harness/oauth.ts';
import { makeOperator } from '../harness/operators.ts';
import { logInWithPasskey, type PasskeyPerson, signUpWithPasskey } from '../harness/passkeys.ts';
import {
  joinBusiness,
  logIn,
  type Role,
  signUp,
  signUpVerified,
  type TestPerson,
} from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { query, startPostgres } from '../harness/postgres.ts';
import { requirePostgresTools } from '../harness/postgres-tools.ts';
import { ownedDatabases, type Restores, restoresOf } from '../harness/restore.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { running } from '../harness/running.ts';
import { connectWebhooks } from '../harness/webhooks.ts';

/*
 * Promise: what was revoked, rotated, deleted, suspended, frozen or banned stays so after an older backup was restored, on
 * every gateway; all else works as the backup has it. With the commands of docs/operations/restore.md and PostgreSQL's own tools.
 */

const tools = requirePostgresTools(process.env);
const within = { withinMs: 10_000 };

const postgres = running(() => startPostgres({}, tools));
const platform = running(() =>
  startPlatform({ gateways: 2, webhooks: 1, createDatabase: ownedDatabases(postgres) }),
);
const webhooks = running(() => connectWebhooks(platform));
let restores: Restores;
beforeAll(async () => {
  restores = restoresOf(platform, tools);
});

/** Status of a request with a bearer, at both gateways. */
async function statuses(bearer: string, path = '/v2/businesses/me'): Promise<number[]> {
  const responses = await Promise.all(
    [0, 1].map((gateway) => platform.request(gateway, 'GET', path, { key: bearer })),
  );
  return responses.map(({ status }) => status);
}

const emailOf = async ({ id }: TestPerson) =>
  (await platform.sql<{ email: string }>('SELECT email FROM people WHERE id = $1', [id]))[0]?.email;

interface Made {
  readonly owners: readonly TestPerson[];
  readonly keys: Readonly<
    Record<'kept' | 'deleted' | 'rotated' | 'narrowed' | 'frozen' | 'ofFrozen' | 'banned', TestKey>
  >;
  readonly applications: Readonly<Record<'kept' | 'suspended' | 'rotated', TestApplication>>;
  readonly tokens: Readonly<Record<'kept' | 'refreshed' | 'ended' | 'suspended' | 'ofRotated', Tokens>>;
  readonly endpointId: string;
}

async function makeAll(): Promise<Made> {
  const owners = [
    await signUpVerified(platform),
    await signUpVerified(platform),
    await signUpVerified(platform),
  ];
  const [ada, bob, cleo] = owners as [TestPerson, TestPerson, TestPerson];
  const { businessId } = ada;
  const orders = ['business:read', 'orders:read'];
  const keys = {
    kept: await platform.createKey(),
    deleted: await platform.createKey({ businessId }),
    rotated: await platform.createKey({ businessId }),
    narrowed: await platform.createKey({ businessId, type: 'restricted', scopes: orders }),
    frozen: await platform.createKey({ businessId }),
    ofFrozen: await platform.createKey({ businessId: cleo.businessId }),
    banned: await platform.createKey({ businessId: await platform.createVerifiedBusiness('banned') }),
  };
  const applications = {
    kept: await platform.createApplication({ businessId, name: 'Kept' }),
    suspended: await platform.createApplication({ businessId, name: 'Suspended' }),
    rotated: await platform.createApplication({ businessId, name: 'Rotated' }),
  };
  const tokens = {
    kept: await connect(platform, ada.browser, applications.kept),
    refreshed: await connect(platform, bob.browser, applications.kept),
    ended: await connect(platform, cleo.browser, applications.kept),
    suspended: await connect(platform, bob.browser, applications.suspended),
    ofRotated: await connect(platform, bob.browser, applications.rotated),
  };
  await webhooks.enable(applications.kept);
  const owner = { businessId, applicationId: applications.kept.id };
  const { id: endpointId } = await webhooks.createEndpoint(owner, 'https://receiver.example/hook');
  return { owners, keys, applications, tokens, endpointId };
}

/** Takes away everything but what is called `kept`. */
async function revokeAll({ owners, keys, applications, tokens, endpointId }: Made): Promise<Tokens> {
  const [ada, , cleo] = owners as [TestPerson, TestPerson, TestPerson];
  await platform.deleteKey(keys.deleted);
  await platform.rotateKey(keys.rotated);
  await platform.updateKey(keys.narrowed, { scopes: ['business:read'] });
  await platform.freezeKey(keys.frozen, 'seen in a log');
  await platform.setPublisherBan(keys.banned.businessId, true, 'fraud');
  const dashboard = await openDashboard(cleo, cleo.browser);
  expect((await dashboard.own('PUT', '/freeze', { reason: 'stolen laptop' })).status).toBe(200);
  const client = oauthClient(platform, applications.kept);
  const refreshed = tokensOf(await client.refresh(tokens.refreshed.refreshToken));
  expect((await client.revoke(tokens.ended.refreshToken)).status).toBe(200);
  await platform.suspendApplication(applications.suspended);
  await platform.rotateClientSecret(applications.rotated);
  const endpoints = await openDashboard(ada, ada.browser);
  const path = `/webhook-endpoints/${endpointId}?applicationId=${applications.kept.id}`;
  expect((await endpoints.own('DELETE', path)).status).toBe(204);
  return refreshed;
}

test('credentials that were revoked since a backup do not work after its restore, and all others do', async () => {
  const made = await makeAll();
  const { owners, keys, applications, tokens } = made;
  const operator = await makeOperator(platform);
  const backups = runDirectory().newDirectory('backups');
  const backup = await restores.backupCommand('backup.sh', [backups]);
  await adminJsonOn(platform, 'operator', 'remove', '--email', operator.email);
  const refreshed = await revokeAll(made);
  // Made since the backup; both gateways have it in their caches.
  const { keyString: lost } = await platform.createKey();
  await restores.logged();
  expect(await statuses(lost)).toEqual([200, 200]);

  await expect(restores.backupCommand('restore.sh', [backup])).rejects.toThrow(
    /identity-service.*: stop every service first/,
  );
  await restores.stopAll();
  await expect(restores.backupCommand('restore.sh', [backups])).rejects.toThrow(/is no complete backup/);
  await restores.backupCommand('restore.sh', [backup]);
  for (const service of platform.businesses) await service.start();
  const [identity] = platform.identities;
  await expect(identity?.start()).rejects.toThrow(/older than the log of revocations/);
  await Promise.all(platform.webhooks.map((service) => service.start()));
  const { stdout } = await restores.finish();
  expect(stdout).toContain('1 refresh tokens that were rotated since are used up');
  // Also of a business of which nothing was revoked.
  const generation = await platform.redis?.command('HGET', `gen:{${platform.businessId}}`, 'g');
  expect(Number(generation)).toBeGreaterThan(1_000_000);
  await identity?.start();

  // Gateways reconnect by themselves.
  const { keyString: kept } = keys.kept;
  await expectEventually(async () => expect(await statuses(kept)).toEqual([200, 200]), within);
  expect(await statuses(tokens.kept.accessToken)).toEqual([200, 200]);
  const dead = [keys.deleted, keys.rotated].map(({ keyString }) => keyString);
  for (const bearer of [
    ...dead,
    refreshed.accessToken,
    lost,
    tokens.ended.accessToken,
    tokens.ofRotated.accessToken,
  ]) {
    expect(await statuses(bearer)).toEqual([401, 401]);
  }
  expect(await adminJsonOn(platform, 'operator', 'list')).toMatchObject({ operators: [] });
  expect(await statuses(keys.narrowed.keyString)).toEqual([200, 200]);
  for (const bearer of [keys.narrowed.keyString, keys.banned.keyString]) {
    expect(await statuses(bearer, '/v2/order')).toEqual([403, 403]);
  }
  expect(await statuses(keys.frozen.keyString)).toEqual([403, 403]);
  expect(await statuses(keys.ofFrozen.keyString)).toEqual([403, 403]);
  expect(await statuses(tokens.suspended.accessToken)).toEqual([403, 403]);
  expect(await knock(platform, applications.rotated)).toBe(401);
  const client = oauthClient(platform, applications.kept);
  for (const { refreshToken } of [tokens.refreshed, refreshed, tokens.ended]) {
    expect((await client.refresh(refreshToken)).body.error).toBe('invalid_grant');
  }
  const owner = { businessId: made.owners[0]?.businessId ?? 0, applicationId: applications.kept.id };
  const { endpoints } = await webhooks.endpointRpc.ListEndpoints({ owner }, { deadlineMs: 30_000 });
  expect(endpoints.map(({ enabled }) => enabled)).toEqual([false]);
  const [ada] = owners as [TestPerson];
  expect((await ada.browser.send('GET', '/dashboard-api/session')).status).toBe(401);

  expect((await client.refresh(tokens.kept.refreshToken)).status).toBe(200);
  await logIn(platform, ada);
  expect(await platform.createBusiness('new')).toBeGreaterThan(1_000_000);
});

test('removed accounts, passkeys and logos, a required second factor and changed email addresses survive a restore', async () => {
  const careful = await signUpWithPasskey(platform);
  const [moved, undone, gone] = [await signUp(platform), await signUp(platform), await signUp(platform)];
  const [strict, tried] = [await signUpWithPasskey(platform), await signUpWithPasskey(platform)];
  const { undo } = await changeEmail(platform, undone);
  const { businessId } = moved;
  expect((await sendLogo(moved, png(44))).status).toBe(200);
  const backup = await restores.backupCommand('backup.sh', [runDirectory().newDirectory('accounts')]);
  const { address } = await changeEmail(platform, moved);
  await undone.browser.open(undo);
  expect((await undone.browser.submit('/account/email/undo')).status).toBe(200);
  const { call } = await openDashboard(gone, gone.browser);
  expect((await call('DELETE', '/profile', { password: gone.password })).status).toBe(204);
  const [code = ''] = careful.recoveryCodes;
  const confirmation = { password: careful.password, code };
  const removed = await careful.dashboard.call(
    'DELETE',
    `/profile/passkeys/${careful.passkeyId}`,
    confirmation,
  );
  expect(removed.status).toBe(204);
  const setFactor = async (method: string, { dashboard, password, recoveryCodes }: PasskeyPerson) => {
    const body = { password, code: recoveryCodes[method === 'PUT' ? 0 : 1] };
    expect((await dashboard.own(method, '/required-second-factor', body)).status).toBe(200);
  };
  await setFactor('PUT', strict);
  await setFactor('PUT', tried);
  await setFactor('DELETE', tried);
  const command = ['business', 'remove-logo', '--business', String(businessId), '--reason', 'Not yours'];
  expect(await adminJsonOn(platform, ...command)).toMatchObject({ logo: null });
  await restores.logged();
  const kept = await platform.redis?.command('ZRANGE', '{revocations}:events', '0', '-1');
  expect(JSON.stringify(kept)).not.toContain('@');

  await restores.stopAll();
  await restores.backupCommand('restore.sh', [backup]);
  for (const service of [...platform.businesses, ...platform.webhooks]) await service.start();
  await restores.finish();
  for (const service of platform.identities) await service.start();
  const isServed = async () => expect((await platform.request(0, 'GET', '/login')).status).toBe(200);
  await expectEventually(isServed, within);
  const required = 'SELECT business_id, person_id FROM second_factor_requirements';
  expect(await platform.sql(required)).toEqual([
    { business_id: String(strict.businessId), person_id: strict.id },
  ]);
  expect(await Promise.all([moved, undone, gone].map(emailOf))).toEqual([address, undone.email, undefined]);
  expect(await adminJsonOn(platform, 'business', 'get', '--business', String(businessId))).toMatchObject({
    logo: null,
  });
  expect((await logInWithPasskey(platform, careful.device)).response.status).toBe(400);
  await logIn(platform, careful);
  await logIn(platform, { ...moved, email: address });
  await expect(logIn(platform, undone)).rejects.toThrow('The login failed');
});

test('a restore keeps roles that were lowered since the backup, and does not raise any', async () => {
  const owner = await signUp(platform);
  const { businessId } = owner;
  const [twice, straight, again, raised] = [
    await signUp(platform),
    await signUp(platform),
    await signUp(platform),
    await signUp(platform),
  ];
  for (const person of [twice, straight]) await joinBusiness(platform, person, businessId, 'owner');
  await joinBusiness(platform, again, businessId, 'developer');
  await joinBusiness(platform, raised, businessId, 'viewer');
  const { own } = await openDashboard(owner, owner.browser);
  const setRole = async ({ id }: TestPerson, role: Role) =>
    expect((await own('PATCH', `/team/members/${id}`, { role })).status).toBe(200);
  const backup = await restores.backupCommand('backup.sh', [runDirectory().newDirectory('roles')]);
  for (const role of ['developer', 'viewer'] as const) await setRole(twice, role);
  await setRole(straight, 'viewer');
  for (const role of ['owner', 'developer'] as const) await setRole(again, role);
  await setRole(raised, 'developer');
  await setRole(raised, 'owner');
  await setRole(raised, 'developer');
  await restores.logged();

  await restores.stopAll();
  const leaving = query(platform.databases.business, 'SELECT pg_sleep(3)');
  await Promise.all([leaving, restores.backupCommand('restore.sh', [backup])]);
  for (const service of [...platform.businesses, ...platform.webhooks]) await service.start();
  await restores.finish();
  for (const service of platform.identities) await service.start();
  const stored = 'SELECT person_id, role FROM memberships WHERE business_id = $1';
  const rows = await platform.sql<{ person_id: string; role: string }>(stored, [businessId]);
  const roles = new Map(rows.map(({ person_id: id, role }) => [id, role]));
  const people = [owner, twice, straight, again, raised];
  expect(people.map(({ id }) => roles.get(id))).toEqual(['owner', 'viewer', 'viewer', 'developer', 'viewer']);
});

test('the restore command refuses to run without a complete log of revocations', async () => {
  const empty = `${platform.redis?.url}/1`;
  await expect(restores.finish({ REDIS_URL: empty })).rejects.toThrow(
    /Redis has no complete log of revocations/,
  );
});

test('the restore command refuses a database without a backup, and keeps the log', async () => {
  const log = () => platform.redis?.command('ZCARD', '{revocations}:events');
  const before = await log();
  const empty = await postgres.createDatabase();
  await expect(restores.finish({ DATABASE_URL: empty })).rejects.toThrow(/no backup was restored into it/);
  expect(await log()).toBe(before);
  expect(Number(before)).toBeGreaterThan(0);
});

test('an emptied Redis gets the whole log again, including rotations from weeks ago', async () => {
  const { identity } = platform.databases;
  const rotated = 'SELECT DISTINCT grant_id FROM refresh_tokens WHERE used_at IS NOT NULL ORDER BY 1';
  const grants = (await query<{ grant_id: string }>(identity, rotated)).map((row) => row.grant_id);
  expect(grants.length).toBeGreaterThan(1);
  const move = "UPDATE refresh_tokens SET used_at = used_at - interval '20 days' WHERE grant_id = $1";
  await query(identity, move, [grants[0]]);
  await platform.redis?.flush();
  await restores.logged();
  const kept = z
    .array(z.string())
    .parse(await platform.redis?.command('ZRANGE', '{revocations}:rotations', '0', '-1'));
  expect(kept.sort()).toEqual(grants.sort());
});

test('credentials that were revoked since a backup do not work after its restore, even if Redis was lost as well', async () => {
  const ada = await signUpVerified(platform);
  const businessId = await platform.createVerifiedBusiness('without-people');
  const kept = await platform.createKey({ businessId });
  const deleted = await platform.createKey({ businessId });
  const application = await platform.createApplication({ businessId: ada.businessId });
  const tokens = await connect(platform, ada.browser, application);
  await webhooks.enable(application);
  const owner = { businessId: ada.businessId, applicationId: application.id };
  await webhooks.createEndpoint(owner, 'https://receiver.example/hook');
  const operator = await makeOperator(platform);
  const backup = await restores.backupCommand('backup.sh', [runDirectory().newDirectory('without-log')]);
  await platform.deleteKey(deleted);
  await adminJsonOn(platform, 'operator', 'remove', '--email', operator.email);
  expect((await oauthClient(platform, application).revoke(tokens.refreshToken)).status).toBe(200);

  await restores.stopAll();
  await platform.redis?.flush();
  await restores.backupCommand('restore.sh', [backup]);
  for (const service of [...platform.businesses, ...platform.webhooks]) await service.start();
  await expect(restores.finish()).rejects.toThrow(/Redis has no complete log of revocations/);
  const { stdout } = await restores.finish({}, ['--without-log']);
  expect(stdout).toMatch(/Without a log: \d+ businesses are frozen/);
  for (const service of platform.identities) await service.start();

  const refused = async () =>
    expect([await statuses(deleted.keyString), await statuses(kept.keyString)]).toEqual([
      [403, 403],
      [403, 403],
    ]);
  await expectEventually(refused, within);
  expect(await statuses(tokens.accessToken)).toEqual([401, 401]);
  const { body } = await oauthClient(platform, application).refresh(tokens.refreshToken);
  expect(body.error).toBe('invalid_grant');
  await expect(logIn(platform, ada)).rejects.toThrow('The login failed');
  expect(await adminJsonOn(platform, 'operator', 'list')).toMatchObject({ operators: [] });
  const { endpoints } = await webhooks.endpointRpc.ListEndpoints({ owner }, { deadlineMs: 30_000 });
  expect(endpoints.map(({ enabled }) => enabled)).toEqual([false]);

  await platform.deleteKey(deleted);
  await adminJsonOn(platform, 'business', 'unfreeze', '--business', String(businessId));
  expect(await statuses(deleted.keyString)).toEqual([401, 401]);
  expect(await statuses(kept.keyString)).toEqual([200, 200]);
});
