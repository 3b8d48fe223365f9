import { userInfo } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { adminJsonOn, adminOn } from '../harness/admin.ts';
import { untilBusinessIsBack } from '../harness/business-outage.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { makeOperator, openConsole, type TestOperator } from '../harness/operators.ts';
import { signUp, signUpVerified } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Four eyes: a ban and its end take two people. */

const platform = running(sharedPlatform);
let ada: TestOperator;
let bob: TestOperator;
let eve: TestOperator;
beforeAll(async () => {
  ada = await makeOperator(platform);
  await fourEyes('on');
  [bob, eve] = await Promise.all([makeOperator(platform, { gateway: 1 }), makeOperator(platform)]);
});

// Other files use the platform next.
afterAll(() => platform.sql('UPDATE four_eyes SET is_on = false, off_asked_by = NULL, off_asked_at = NULL'));

const fourEyes = (state: 'on' | 'off') => adminJsonOn(platform, 'operator', 'four-eyes', '--set', state);

const proposed = z.object({ propagation: z.null(), proposalId: z.string() });

async function propose(businessId: number, act: 'ban' | 'unban', reason: string): Promise<string> {
  const response = await ada.call('POST', `/businesses/${businessId}/${act}`, { reason });
  expect(response.status).toBe(200);
  return proposed.parse(response.json()).proposalId;
}

const confirm = ({ call }: Pick<TestOperator, 'call'>, id: string) =>
  call('POST', `/proposals/${id}/confirm`, { reason: 'seen' });

const actionsOf = async (businessId: number) => {
  const text =
    "SELECT action FROM audit_events WHERE business_id = $1 AND action LIKE 'business.%ban%' ORDER BY id";
  const rows = await platform.sql<{ action: string }>(text, [businessId]);
  return rows.map(({ action }) => action.replace('business.', ''));
};

const view = z.object({ business: z.looseObject({ isBanned: z.boolean() }) });

const isBanned = async (businessId: number) =>
  view.parse((await ada.call('GET', `/businesses/${businessId}`)).json()).business.isBanned;

test('a ban waits for another person, and has the reason of its proposal', async () => {
  const owner = await signUpVerified(platform);
  const { businessId } = owner;
  const id = await propose(businessId, 'ban', 'It sells nothing');
  expect(await isBanned(businessId)).toBe(false);
  const seen = await openDashboard(owner, owner.browser);
  const reads = [seen.own('GET', '/audit-events'), seen.own('GET', ''), seen.call('GET', '/notices')];
  for (const { status, text } of await Promise.all(reads)) {
    expect([status, text]).toEqual([200, expect.not.stringMatching(/sells nothing|propos/i)]);
  }
  expect((await bob.call('GET', '/queue')).json()).toMatchObject({
    proposals: [{ id, proposedBy: ada.email, isYours: false, isBan: true }],
  });
  const shown = { id, proposedBy: ada.email, isYours: false, reason: 'It sells nothing' };
  expect((await bob.call('GET', `/businesses/${businessId}`)).json()).toMatchObject({
    fourEyes: true,
    proposal: shown,
  });
  const again = await bob.call('POST', `/businesses/${businessId}/ban`, { reason: 'me too' });
  expect(refusalOf(again)).toMatchObject({ code: 409, reason: 'ban_proposed' });

  const elsewhere = await openConsole(ada.browser);
  for (const own of [ada, elsewhere]) {
    expect(refusalOf(await confirm(own, id))).toMatchObject({ code: 403, reason: 'own_proposal' });
    const declined = await own.call('POST', `/proposals/${id}/decline`, { reason: 'x' });
    expect(refusalOf(declined)).toMatchObject({ code: 403, reason: 'own_proposal' });
  }
  expect(await isBanned(businessId)).toBe(false);
  expect((await confirm(bob, id)).status).toBe(200);
  expect(await isBanned(businessId)).toBe(true);
  expect(await actionsOf(businessId)).toEqual(['banned']);
  expect((await ada.call('GET', '/log')).text).toContain(String.raw`\"confirmed\":\"seen\"`);
  const { own } = await openDashboard(owner, owner.browser);
  const audit = (await own('GET', '/audit-events?action=business.banned')).text;
  expect(audit).toContain('It sells nothing');
  for (const { email, id: personId } of [ada, bob]) {
    expect(audit).not.toContain(email);
    expect(audit).not.toContain(personId);
  }
  expect(audit).not.toContain('seen');

  const end = await propose(businessId, 'unban', 'It does sell');
  expect((await bob.call('POST', `/proposals/${end}/decline`, { reason: 'Not yet' })).status).toBe(204);
  expect(refusalOf(await confirm(bob, end))).toMatchObject({ code: 409, reason: 'proposal_decided' });
  expect(await isBanned(businessId)).toBe(true);
  expect((await confirm(bob, await propose(businessId, 'unban', 'It does'))).status).toBe(200);
  expect(await isBanned(businessId)).toBe(false);
});

test('a proposal that is confirmed on both replicas at once is executed once', async () => {
  const { businessId } = await signUp(platform);
  const id = await propose(businessId, 'ban', 'spam');
  const statuses = (await Promise.all([bob, eve, bob, eve].map((by) => confirm(by, id)))).map(
    ({ status }) => status,
  );
  expect(statuses.sort()).toEqual([200, 409, 409, 409]);
  expect(await actionsOf(businessId)).toEqual(['banned']);
});

test('a proposal cannot be confirmed without business-service, but can be later', async () => {
  const { businessId } = await signUp(platform);
  const id = await propose(businessId, 'ban', 'spam');
  const [business] = platform.businesses;
  await business?.stop();
  expect((await confirm(bob, id)).status).toBe(503);
  expect(await actionsOf(businessId)).toEqual([]);
  await business?.start();
  await untilBusinessIsBack(platform);
  await expectEventually(async () => expect((await confirm(bob, id)).status).toBe(200), {
    withinMs: 5_000,
  });
  expect(await actionsOf(businessId)).toEqual(['banned']);
});

test('a proposal expires after 72 hours, and can then be made again', async () => {
  const { businessId } = await signUp(platform);
  const id = await propose(businessId, 'ban', 'spam');
  // The clock is read for each of them, and either may begin another millisecond.
  const text = `SELECT extract(epoch FROM expires_at - proposed_at)::int / 3600.0 AS hours
    FROM ban_proposals WHERE id = $1`;
  const [row] = await platform.sql<{ hours: string }>(text, [id]);
  expect(Number(row?.hours)).toBe(72);
  const age = "UPDATE ban_proposals SET expires_at = now() - interval '1 second' WHERE id = $1";
  await platform.sql(age, [id]);
  expect(refusalOf(await confirm(bob, id))).toMatchObject({ code: 409, reason: 'proposal_decided' });
  expect((await bob.call('GET', '/queue')).text).not.toContain(id);
  expect(await propose(businessId, 'ban', 'spam')).not.toBe(id);
  expect(await isBanned(businessId)).toBe(false);
});

test('two operators are required to turn off the four-eyes rule, and both gateways follow the setting', async () => {
  const login = userInfo().username;
  expect(await fourEyes('off')).toEqual({ fourEyes: true, offAskedBy: login });
  expect((await adminOn(platform, 'operator', 'four-eyes', '--set', 'off')).err).toContain(
    'another operator',
  );
  expect(await fourEyes('on')).toEqual({ fourEyes: true, offAskedBy: null });
  await fourEyes('off');
  await propose((await signUp(platform)).businessId, 'ban', 'spam');
  const other = "UPDATE four_eyes SET off_asked_by = 'another login'";
  await platform.sql(other);
  expect(await fourEyes('off')).toEqual({ fourEyes: false, offAskedBy: null });
  for (const { call } of [ada, bob]) {
    const { businessId } = await signUp(platform);
    const response = await call('POST', `/businesses/${businessId}/ban`, { reason: 'spam' });
    expect(response.json()).toMatchObject({ proposalId: null });
  }
  const words = (await ada.call('GET', '/log')).text;
  for (const step of ['on', 'off_asked', 'off']) expect(words).toContain(`operator.four_eyes_${step}"`);
});

test('an unknown proposal and a ban of an unknown business are 404', async () => {
  expect((await confirm(bob, 'ban_none')).status).toBe(404);
  expect((await ada.call('POST', '/businesses/999999999/ban', { reason: 'x' })).status).toBe(404);
});
