import { beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect, oauthClient } from '../harness/oauth.ts';
import { addPasskey, newDevice } from '../harness/passkeys.ts';
import { logIn, signUp, signUpVerified } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { query, startPostgres } from '../harness/postgres.ts';
import { requirePostgresTools } from '../harness/postgres-tools.ts';
import { asAdministrator, ownedDatabases, type Restores, restoresOf } from '../harness/restore.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { running } from '../harness/running.ts';
import { makeOrder } from '../harness/webhooks.ts';

/* Promise: the same backup may be restored again, however much Redis, readers and people know of the time since the first restore. */

const tools = requirePostgresTools(process.env);
const within = { withinMs: 10_000 };

const postgres = running(() => startPostgres({}, tools));
const platform = running(() =>
  startPlatform({ gateways: 1, webhooks: 1, createDatabase: ownedDatabases(postgres) }),
);
let restores: Restores;
let backup: string;
beforeAll(async () => {
  restores = restoresOf(platform, tools);
});

async function restore(): Promise<void> {
  await restores.stopAll();
  await restores.backupCommand('restore.sh', [backup]);
  for (const service of [...platform.businesses, ...platform.webhooks]) await service.start();
}

async function restoreAndServe(): Promise<void> {
  await restore();
  await restores.finish();
  for (const service of platform.identities) await service.start();
}

async function expectAdmitted(key: string): Promise<void> {
  const read = () => platform.me(key);
  await expectEventually(async () => expect((await read()).status).toBe(200), within);
}

/** Raises the generation of a business in Redis past that of the backup. */
async function makeAndDelete(businessId: number): Promise<void> {
  const key = await platform.createKey({ businessId });
  await expectAdmitted(key.keyString);
  await platform.deleteKey(key);
}

const numbered = z.object({ number: z.int() });
const feedPage = z.object({ data: z.array(z.object({ type: z.string() })), next_cursor: z.string() });

/** Gives out a number of each kind. */
async function giveNumbers(key: string) {
  const path = `/v2/order/${await makeOrder(platform, key)}`;
  const { number } = numbered.parse((await platform.request(0, 'GET', path, { key })).json());
  return { order: number, business: await platform.createBusiness('numbered') };
}

const readFeed = (key: string, query: string) => platform.request(0, 'GET', `/v2/events${query}`, { key });

test('a second restore of the same backup admits requests, and assigns no number twice', async () => {
  const ada = await signUpVerified(platform);
  const person = await signUp(platform);
  const withoutKeys = await platform.createVerifiedBusiness('without-keys');
  const kept = await platform.createKey({ businessId: ada.businessId });
  const application = await platform.createApplication({ businessId: ada.businessId });
  const tokens = await connect(platform, ada.browser, application);
  expect((await oauthClient(platform, application).refresh(tokens.refreshToken)).status).toBe(200);
  backup = await restores.backupCommand('backup.sh', [runDirectory().newDirectory('again')]);
  const dashboard = await openDashboard(person, person.browser);
  await addPasskey(dashboard, newDevice(platform), { password: person.password });
  await restores.logged();

  await restoreAndServe();
  await expectAdmitted(kept.keyString);
  for (const businessId of [ada.businessId, withoutKeys]) await makeAndDelete(businessId);
  const first = await giveNumbers(kept.keyString);
  const seen = feedPage.parse((await readFeed(kept.keyString, '?limit=100')).json()).next_cursor;
  await restores.logged();

  await restoreAndServe();
  await expectAdmitted(kept.keyString);
  await makeAndDelete(withoutKeys);
  const second = await giveNumbers(kept.keyString);
  expect(second.order).toBeGreaterThan(first.order);
  expect(second.business).toBeGreaterThan(first.business);
  const feed = await readFeed(kept.keyString, `?after=${seen}&types=order.created`);
  expect(feedPage.parse(feed.json()).data.map(({ type }) => type)).toEqual(['order.created']);
  // Without the passkey, which is lost, the password alone was enough again.
  await expect(logIn(platform, person)).rejects.toThrow('The login failed');
});

test('a backup older than the log of revocations is refused, and a newer one can still be restored', async () => {
  const log = () => platform.redis?.command('ZCARD', '{revocations}:events');
  await restores.logged();
  await restore();
  const before = await log();
  const database = asAdministrator(platform.databases.identity).href;
  const age = "UPDATE audit_events SET at = at - interval '36 days'";
  await query(database, `SET session_replication_role = replica; ${age}`);
  await expect(restores.finish()).rejects.toThrow(/older than the log of revocations reaches/);
  expect(await log()).toBe(before);
  // Interrupted, it has written audit events of today, which say nothing about the backup.
  const interrupted = restores.finish({ WEBHOOK_GRPC_TARGET: '127.0.0.1:1' }, ['--without-log']);
  await expect(interrupted).rejects.toThrow(/did not respond in time/);
  await expect(restores.finish()).rejects.toThrow(/older than the log of revocations reaches/);
  await restoreAndServe();
});

test('a restore is finished once, and another restored backup is not confused with it', async () => {
  await restores.logged();
  // Its last audit event is also that of the finished restore, since nothing is revoked after it.
  backup = await restores.backupCommand('backup.sh', [runDirectory().newDirectory('finished')]);
  await restore();
  await restores.finish();
  const position = () => platform.redis?.command('HGETALL', '{revocations}:position');
  const generations = () => platform.sql('SELECT * FROM credential_generations ORDER BY business_id');
  const finished = [await position(), await generations()];
  expect((await restores.finish()).stdout).toMatch(/^This restore is finished already/m);
  expect([await position(), await generations()]).toEqual(finished);

  await restore();
  await expect(restores.finish()).rejects.toThrow(/Redis has no complete log of revocations/);
  await restores.finish({}, ['--without-log']);
  expect((await restores.finish()).stdout).toMatch(/^This restore is finished already/m);
  for (const service of platform.identities) await service.start();
  await restores.logged();
  expect(JSON.stringify(await position())).not.toContain('finished');
});
