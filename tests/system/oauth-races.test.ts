import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdLocks } from '../harness/hold-table.ts';
import { authorizeApplication, connect, oauthClient, tokensOf } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { query } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Concurrent operations on one Grant: the later ones are refused, and no request fails with 5xx. */

const platform = running(sharedPlatform);
let owner: TestPerson;
let makerId: number;
let begun: readonly number[];
beforeAll(async () => {
  owner = await signUpVerified(platform);
  makerId = await platform.createVerifiedBusiness('maker');
  begun = logs().map(({ length }) => length);
});

async function grantOf(app: TestApplication): Promise<string> {
  const grants = await platform.listGrants(owner.businessId);
  return grants.find(({ applicationId }) => applicationId === app.id)?.id ?? '';
}

/** Calls that meet on the same rows, as [name, status or kind of refusal]. */
async function race(app: TestApplication): Promise<readonly (readonly [string, unknown])[]> {
  const client = oauthClient(platform, app);
  const used = await connect(platform, owner.browser, app);
  await client.refresh(tokensOf(await client.refresh(used.refreshToken)).refreshToken);
  const fresh = await connect(platform, owner.browser, app);
  const { code, verifier } = await authorizeApplication(owner.browser, app);
  const grantId = await grantOf(app);
  const http = async (name: string, at: Promise<{ status: number }>) => [name, (await at).status] as const;
  const act = async (name: string, at: Promise<unknown>) =>
    [name, await at.then(() => 'done').catch((error: { kind: unknown }) => error.kind)] as const;
  const calls = [
    () => http('reuse', client.refresh(used.refreshToken, {}, {}, 0)),
    () => http('reuse again', client.refresh(used.refreshToken, {}, {}, 1)),
    () => http('refresh', client.refresh(fresh.refreshToken, {}, {}, 0)),
    () => http('refresh again', client.refresh(fresh.refreshToken, {}, {}, 1)),
    () => http('exchange', client.exchange(code, verifier, {}, 0)),
    () => http('exchange again', client.exchange(code, verifier, {}, 1)),
    () => http('revoke access', client.revoke(fresh.accessToken)),
    () => http('revoke refresh', client.revoke(fresh.refreshToken)),
    () => http('use', platform.me(fresh.accessToken)),
    () => act('disconnect', platform.disconnectGrant(owner.businessId, grantId)),
    () => act('update', platform.updateApplication(app, { ipWhitelist: ['127.0.0.1'] })),
    () => act('rotate', platform.rotateClientSecret(app, true)),
    () => act('delete', platform.deleteApplication(app)),
  ];
  // In another order each time.
  const shuffled = calls.map((run) => ({ run, at: Math.random() })).sort((one, other) => one.at - other.at);
  return Promise.all(shuffled.map(({ run }) => run()));
}

/** Log lines of the identity-services since the first test began. */
const logsOfIdentities = () =>
  logs()
    .map((log, index) => log.slice(begun[index]))
    .join('');
const logs = () => platform.identities.map(({ logFile }) => readFileSync(logFile, 'utf8'));

test('no response is 5xx, and PostgreSQL has no deadlock', async () => {
  for (let round = 0; round < 15; round++) {
    const results = await race(await platform.createApplication({ businessId: makerId }));
    for (const [name, result] of results) {
      expect([name, result]).toEqual([name, expect.not.stringMatching(/internal|unavailable/)]);
      if (typeof result === 'number') expect([name, result >= 500 ? result : 'ok']).toEqual([name, 'ok']);
    }
  }
  expect(logsOfIdentities()).not.toMatch(/deadlock/);
});

test('recording usage while a token is issued and the application is deleted causes no deadlock', async () => {
  const app = await platform.createApplication({ businessId: makerId });
  const { accessToken } = await connect(platform, owner.browser, app);
  const grantId = await grantOf(app);
  const { identity } = platform.databases;
  const issued = await holdLocks(identity, 'SELECT 1 FROM grants WHERE id = $1 FOR KEY SHARE', [grantId]);
  const approve = 'UPDATE grants SET approved_at = now() WHERE id = $1';
  const approved = await holdLocks(identity, approve, [grantId]);
  expect((await platform.me(accessToken)).status).toBe(200);
  // The report of that request waits, then the deletion.
  await approved.untilWaiting(1);
  const deletion = platform.deleteApplication(app);
  await approved.untilWaiting(2);
  await approved.release();
  const isNoted = 'SELECT last_used_at IS NOT NULL AS noted FROM grants WHERE id = $1';
  const noted = async () => expect(await query(identity, isNoted, [grantId])).toEqual([{ noted: true }]);
  // Where the three wait for each other it is never noted, and PostgreSQL notices the circle once the token is issued.
  await expectEventually(noted, { withinMs: 300 }).catch(() => undefined);
  await issued.release();
  await deletion;
  expect(logsOfIdentities()).not.toMatch(/deadlock/);
});

test('an approval that waits for a change of the team does not lock the application, which that change may need', async () => {
  const app = await platform.createApplication({ businessId: makerId });
  const { identity } = platform.databases;
  const membership = 'SELECT 1 FROM memberships WHERE person_id = $1 FOR UPDATE';
  const team = await holdLocks(identity, membership, [owner.id]);
  const approval = authorizeApplication(owner.browser, app);
  try {
    await team.untilWaiting(1);
    const application = 'SELECT 1 FROM applications WHERE id = $1 FOR UPDATE NOWAIT';
    await team.run(application, [app.id]);
  } finally {
    await team.release();
  }
  expect((await approval).code).toMatch(/^ac_/);
});
