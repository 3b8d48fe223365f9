import { beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { TestApplication } from '../harness/applications.ts';
import { createBrowser } from '../harness/browser.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { changeEmail } from '../harness/email-change.ts';
import { connect, oauthClient } from '../harness/oauth.ts';
import { addPasskey, logInWithPasskey, newDevice } from '../harness/passkeys.ts';
import { awaitMail, logIn, mailsTo, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { startPostgres } from '../harness/postgres.ts';
import { requirePostgresTools } from '../harness/postgres-tools.ts';
import { ownedDatabases, type Restores, restoresOf } from '../harness/restore.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { running } from '../harness/running.ts';
import { connectWebhooks } from '../harness/webhooks.ts';

/* Promise: after a restore an account belongs to whom it belonged before, and a developer may no more than before. */

const tools = requirePostgresTools(process.env);

const postgres = running(() => startPostgres({}, tools));
const platform = running(() =>
  startPlatform({ gateways: 1, webhooks: 1, createDatabase: ownedDatabases(postgres) }),
);
const webhooks = running(() => connectWebhooks(platform));
let restores: Restores;
let ada: TestPerson;
let application: TestApplication;
beforeAll(async () => {
  restores = restoresOf(platform, tools);
  ada = await signUpVerified(platform);
  application = await platform.createApplication({ businessId: ada.businessId });
  const tokens = await connect(platform, ada.browser, application);
  expect((await oauthClient(platform, application).refresh(tokens.refreshToken)).status).toBe(200);
});

async function emailOf({ id }: TestPerson) {
  const text = 'SELECT email FROM people WHERE id = $1';
  return (await platform.sql<{ email: string }>(text, [id]))[0]?.email;
}

/** Opens a link and uses it, as who gets the email. Resolves to the status of the last response. */
async function useUndo(link: string): Promise<number> {
  const browser = createBrowser(platform.gatewayPorts[0] ?? 0);
  const opened = await browser.open(link);
  return opened.status === 200 ? (await browser.submit('/account/email/undo')).status : opened.status;
}

/** Replaces the new address of a person in the log by one that was sealed with a lost key. */
async function loseSealedEmail({ id }: TestPerson): Promise<void> {
  const key = '{revocations}:events';
  const redis = (...args: string[]) => platform.redis?.command(...(args as [string, ...string[]]));
  const members = z.array(z.string()).parse(await redis('ZRANGE', key, '0', '-1'));
  const sealed = members.filter((text) => text.includes(id) && text.includes('sealedEmail'));
  expect(sealed).toHaveLength(1);
  for (const text of sealed) {
    const event = JSON.parse(text);
    const other = { ...event, details: { ...event.details, sealedEmail: 'AQ'.repeat(40) } };
    await redis('ZREM', key, text);
    await redis('ZADD', key, String(event.at), JSON.stringify(other));
  }
}

/** Restores; the first try to finish is interrupted after the people. */
async function restoreTwiceTried(backup: string): Promise<string> {
  await restores.backupCommand('restore.sh', [backup]);
  for (const service of platform.businesses) await service.start();
  await expect(restores.finish({ SERVICE_TIMEOUT_MS: '1000' })).rejects.toThrow();
  for (const service of platform.webhooks) await service.start();
  const { stdout } = await restores.finish();
  for (const service of platform.identities) await service.start();
  return stdout;
}

test('a restore keeps the later state of links that undo an email change, and of the rights of developers', async () => {
  const [robbed, moved, sealed] = [await signUp(platform), await signUp(platform), await signUp(platform)];
  const toVictim = await changeEmail(platform, robbed);
  const toThief = await changeEmail(platform, { ...robbed, email: toVictim.address });
  const thief = newDevice(platform);
  await addPasskey(await openDashboard(robbed, robbed.browser), thief, { password: robbed.password });
  await webhooks.enable(application);
  const owner = { businessId: ada.businessId, applicationId: application.id };
  const { id: endpointId } = await webhooks.createEndpoint(owner, 'https://receiver.example/hook');
  const { own } = await openDashboard(ada, ada.browser);
  const changeRules = async (change: object) =>
    expect((await own('PATCH', '/member-key-rules', change)).status).toBe(200);
  const removedScopes = ['business:read', 'events:read'];
  await changeRules({ secretKeys: true, addedScopes: ['orders:write'], removedScopes });
  const setLimit = (limit: number) => platform.setConnectedUserLimit(application, limit);
  await setLimit(60);
  const backup = await restores.backupCommand('backup.sh', [runDirectory().newDirectory('people')]);
  expect(await useUndo(toVictim.undo)).toBe(200);
  const once = await changeEmail(platform, moved);
  const twice = await changeEmail(platform, { ...moved, email: once.address });
  await changeEmail(platform, sealed);
  await changeRules({ secretKeys: false, addedScopes: ['business:read'], removedScopes: ['orders:write'] });
  await changeRules({ secretKeys: true });
  await setLimit(55);
  const path = `/webhook-endpoints/${endpointId}?applicationId=${application.id}`;
  expect((await own('DELETE', path)).status).toBe(204);
  await restores.logged();
  const mailsBefore = [moved.email, once.address].map((to) => mailsTo(platform.mailDirectory, to).length);

  await restores.stopAll();
  await loseSealedEmail(sealed);
  const stdout = await restoreTwiceTried(backup);
  expect(stdout).toMatch(
    new RegExp(`addresses of 1 people cannot be opened .*passwords have ended: ${sealed.id}\\.`),
  );

  expect(await useUndo(toThief.undo)).toBe(400);
  expect(await emailOf(robbed)).toBe(robbed.email);
  expect((await logInWithPasskey(platform, thief)).response.status).toBe(400);
  expect(await emailOf(moved)).toBe(twice.address);
  const links = await Promise.all(
    [moved.email, once.address].map((to, index) =>
      awaitMail(platform.mailDirectory, to, (mailsBefore[index] ?? 0) + 1),
    ),
  );
  expect(await useUndo(once.undo)).toBe(400);
  expect(await useUndo(links[0]?.link ?? '')).toBe(200);
  expect(await emailOf(moved)).toBe(moved.email);
  expect(await useUndo(links[1]?.link ?? '')).toBe(400);
  expect(mailsTo(platform.mailDirectory, once.address)).toHaveLength((mailsBefore[1] ?? 0) + 1);
  expect(await emailOf(sealed)).toBe(sealed.email);
  await expect(logIn(platform, sealed)).rejects.toThrow('The login failed');
  const rules = 'SELECT secret_keys, scopes FROM member_key_rules WHERE business_id = $1';
  expect(await platform.sql(rules, [ada.businessId])).toEqual([
    { secret_keys: false, scopes: ['orders:read'] },
  ]);
  expect((await platform.getApplication(application)).connectedUserLimit).toBe(55);
});
