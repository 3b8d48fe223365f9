import { userInfo } from 'node:os';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { adminJsonOn, adminOn } from '../harness/admin.ts';
import { authenticatorOf } from '../harness/authenticator.ts';
import { noticesOf } from '../harness/notices.ts';
import { makeOperator } from '../harness/operators.ts';
import {
  addPasskey,
  logInWithPasskey,
  newDevice,
  type PasskeyPerson,
  signUpWithPasskey,
} from '../harness/passkeys.ts';
import { logIn, signUp } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/* npm run admin -- person remove-factors: of a person who has lost app and passkeys, and whose identity was checked. */

const platform = running(sharedPlatform);

const reason = 'phone lost; identity checked by video';
const command = (email: string) => ['person', 'remove-factors', '--email', email, '--reason', reason];

/** Turns the authenticator app on beside the passkey. */
async function turnAppOn({ dashboard, password, recoveryCodes: [code] }: PasskeyPerson): Promise<void> {
  const offer = await dashboard.call('POST', '/profile/second-factor', { password, code });
  const { secret } = z.object({ secret: z.string() }).parse(offer.json());
  const confirmation = { code: await authenticatorOf(secret).earliestCode() };
  expect((await dashboard.call('POST', '/profile/second-factor/confirm', confirmation)).status).toBe(200);
}

const removalsOf = (personId: string) =>
  platform.sql(
    `SELECT action, actor_kind, actor_id, details FROM audit_events
     WHERE subject_id = $1 AND actor_kind = 'operator' ORDER BY id`,
    [personId],
  );

test('person remove-factors removes app, passkeys and recovery codes, and records the reason', async () => {
  const ada = await signUpWithPasskey(platform);
  const confirmation = { password: ada.password, code: ada.recoveryCodes[1] };
  const { id: second } = await addPasskey(ada.dashboard, newDevice(platform), confirmation);
  await turnAppOn(ada);
  const { browser: thief } = await logInWithPasskey(platform, ada.device);
  expect(await adminJsonOn(platform, ...command(ada.email))).toEqual({
    personId: ada.id,
    hadApp: true,
    passkeys: 2,
  });
  expect((await thief.send('GET', '/dashboard-api/session')).status).not.toBe(200);
  expect((await logInWithPasskey(platform, ada.device)).response.status).toBe(400);
  // The password alone is enough again.
  await logIn(platform, ada);
  const profile = await ada.dashboard.call('GET', '/profile');
  expect(profile.json()).toMatchObject({ secondFactor: false, passkeys: 0, recoveryCodesLeft: 0 });
  const operator = { actor_kind: 'operator', actor_id: userInfo().username };
  expect(await removalsOf(ada.id)).toEqual([
    // Without the id a restore could not remove it again.
    { action: 'person.passkey_removed', ...operator, details: { id: ada.passkeyId, name: 'Key', reason } },
    { action: 'person.passkey_removed', ...operator, details: { id: second, name: 'Key', reason } },
    { action: 'person.second_factor_disabled', ...operator, details: { reason } },
  ]);
  const { notices } = await noticesOf(ada.dashboard);
  const texts = notices.map(({ text }) => text).filter((text) => text.includes('by our support'));
  const removed = `The passkey “Key” was removed from your account at Business API by our support. It no longer logs in. Reason: “${reason}”.`;
  const off = `Your second factor was turned off at Business API by our support. Reason: “${reason}”.`;
  expect(texts.sort()).toEqual([removed, removed, off]);
  expect((await adminOn(platform, 'audit', 'verify')).code).toBe(0);
});

test('the factors of a person without a business can be removed, and the log links to no business', async () => {
  const grace = await signUpWithPasskey(platform);
  await platform.sql('DELETE FROM memberships WHERE person_id = $1', [grace.id]);
  await adminJsonOn(platform, ...command(grace.email));
  const { call } = await makeOperator(platform);
  const { entries } = z
    .object({ entries: z.array(z.object({ subjectId: z.string(), businessId: z.number().nullable() })) })
    .parse((await call('GET', '/log')).json());
  expect(entries.filter(({ subjectId }) => subjectId === grace.id)).toMatchObject([{ businessId: null }]);
  expect((await adminOn(platform, 'audit', 'verify')).code).toBe(0);
});

test('a person without factors, an unknown address and a blank reason are refused', async () => {
  const bob = await signUp(platform);
  for (const [args, code, text] of [
    [command(bob.email), 1, 'this person has no second factor'],
    [command('nowhere@example.com'), 1, 'no person has this email address'],
    [command('nowhere'), 1, 'must be an email address'],
    [['person', 'remove-factors', '--email', bob.email, '--reason', ' '], 1, 'reason'],
    [['person', 'remove-factors', '--email', bob.email], 2, '--reason'],
  ] as const) {
    const run = await adminOn(platform, ...args);
    expect([run.code, run.err]).toEqual([code, expect.stringContaining(text)]);
  }
  expect(await removalsOf(bob.id)).toEqual([]);
});
