import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { authenticatorOf } from '../harness/authenticator.ts';
import {
  askForEmail,
  canLogIn,
  confirmPath,
  emailLink,
  emailOf,
  follow,
  newBrowserAt,
  openEmailOwner,
  withChangedEmail,
} from '../harness/email-change.ts';
import { awaitMail, logIn, mailsTo, newAddress } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/* The link of a replaced email address puts it back. */

const undoPath = '/account/email/undo';

const platform = running(sharedPlatform);

const newBrowser = (gateway = 1) => newBrowserAt(platform, gateway);

test('the undo link restores the old email address, and ends sessions and the password', async () => {
  const { ada, email, undo } = await withChangedEmail(platform);
  const thief = await logIn(platform, { ...ada, email }, 1);
  const owner = newBrowser(0);
  const page = await owner.open(undo);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining(ada.email)]);
  expect(await emailOf(platform, ada)).toBe(email);
  expect((await owner.submit(undoPath)).status).toBe(200);
  expect(await emailOf(platform, ada)).toBe(ada.email);
  for (const browser of [thief, ada.browser]) {
    expect((await browser.send('GET', '/dashboard-api/session')).status).toBe(401);
  }
  expect([await canLogIn(platform, ada), await canLogIn(platform, { ...ada, email })]).toEqual([
    false,
    false,
  ]);
  const mails = await Promise.all([3, 4].map((n) => awaitMail(platform.mailDirectory, ada.email, n)));
  expect(mails.map(({ subject }) => subject).sort()).toEqual([
    'Set a new password',
    'Your email address was put back',
  ]);
  const reset = mails.find(({ subject }) => subject === 'Set a new password')?.link ?? '';
  await owner.open(reset);
  const password = 'a loom that weaves algebra';
  expect((await owner.submit('/password/reset', { new_password: password })).status).toBe(303);
  expect(await canLogIn(platform, { ...ada, password })).toBe(true);
  expect((await owner.open(undo)).status).toBe(400);
});

test('the undo link works once, even on two replicas at once, and not after 72 hours', async () => {
  const { ada, undo } = await withChangedEmail(platform);
  const browsers = [newBrowser(0), newBrowser(1)];
  for (const browser of browsers) await browser.open(undo);
  const responses = await Promise.all(browsers.map((browser) => browser.submit(undoPath)));
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(await emailOf(platform, ada)).toBe(ada.email);
  const late = await withChangedEmail(platform);
  const [row] = await platform.sql<{ hours: number }>(
    'SELECT extract(epoch FROM expires_at - created_at)::int / 3600 AS hours FROM email_undos WHERE person_id = $1',
    [late.ada.id],
  );
  expect(row?.hours).toBe(72);
  await platform.sql("UPDATE email_undos SET expires_at = now() - interval '1 ms' WHERE person_id = $1", [
    late.ada.id,
  ]);
  expect(await follow(newBrowser(), late.undo, undoPath)).toBe(400);
  expect(await emailOf(platform, late.ada)).toBe(late.email);
});

test('the undo link still works after a new password and a second change, whose own link it ends', async () => {
  const { ada, undo } = await withChangedEmail(platform);
  const next = 'a loom of the thief who weaves';
  const body = { current: ada.password, next };
  expect((await ada.dashboard.call('POST', '/profile/password', body)).status).toBe(204);
  const thief = { ...ada, password: next };
  const second = newAddress('thief');
  expect(await follow(ada.browser, await emailLink(platform, thief, second), confirmPath)).toBe(200);
  const [{ count } = { count: 0 }] = await platform.sql<{ count: number }>(
    'SELECT count(*)::int AS count FROM email_undos WHERE person_id = $1',
    [ada.id],
  );
  expect(count).toBe(2);
  expect(await follow(newBrowser(), undo, undoPath)).toBe(200);
  expect(await emailOf(platform, ada)).toBe(ada.email);
  expect(await platform.sql('SELECT 1 FROM email_undos WHERE person_id = $1', [ada.id])).toEqual([]);
});

test('the undo link turns off a second factor that was turned on after the change', async () => {
  const { ada, undo } = await withChangedEmail(platform);
  const { password } = ada;
  const offer = await ada.dashboard.call('POST', '/profile/second-factor', { password });
  const { secret } = z.object({ secret: z.string() }).parse(offer.json());
  const code = await authenticatorOf(secret).earliestCode();
  expect((await ada.dashboard.call('POST', '/profile/second-factor/confirm', { code })).status).toBe(200);
  expect(await follow(newBrowser(), undo, undoPath)).toBe(200);
  expect(
    await platform.sql('SELECT 1 FROM people WHERE id = $1 AND totp_secret IS NULL', [ada.id]),
  ).toHaveLength(1);
});

test('the undo link keeps the old address reserved, so that no other account can take it', async () => {
  const { ada, undo } = await withChangedEmail(platform);
  const mails = mailsTo(platform.mailDirectory, ada.email).length;
  const stranger = newBrowser();
  await stranger.open('/signup');
  await stranger.submit('/signup', { email: ada.email });
  const mail = await awaitMail(platform.mailDirectory, ada.email, mails + 1);
  expect([mail.subject, mail.link]).toEqual(['This email address was replaced', '']);
  const bob = await openEmailOwner(platform);
  expect((await askForEmail(bob, ada.email)).status).toBe(204);
  const refused = await awaitMail(platform.mailDirectory, ada.email, mails + 2);
  expect(refused.subject).toBe('Your email address was entered for another account');
  expect(await follow(newBrowser(), undo, undoPath)).toBe(200);
  expect(await emailOf(platform, ada)).toBe(ada.email);
});
