import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { eventsOf } from '../harness/audit-events.ts';
import { authenticatorOf } from '../harness/authenticator.ts';
import type { Browser } from '../harness/browser.ts';
import {
  askForEmail,
  canLogIn,
  confirmPath,
  type EmailOwner,
  emailLink,
  emailOf,
  follow,
  newBrowserAt,
  openEmailOwner,
} from '../harness/email-change.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdLocks } from '../harness/hold-table.ts';
import { allMailsTo, awaitMail, logIn, mailsTo, newAddress } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/* The email address of an account: changed by a link to the new one. */

const platform = running(sharedPlatform);

const openOwner = () => openEmailOwner(platform);
const linkTo = (owner: EmailOwner, email: string) => emailLink(platform, owner, email);
const confirm = (browser: Browser, link: string) => follow(browser, link, confirmPath);
const newBrowser = (gateway = 1) => newBrowserAt(platform, gateway);

describe('a new email address', () => {
  test('is confirmed by the mailed link, and the old address gets a link that undoes the change', async () => {
    const ada = await openOwner();
    const email = newAddress('ada');
    expect((await askForEmail(ada, ` ${email.toUpperCase()} `)).status).toBe(204);
    const { link } = await awaitMail(platform.mailDirectory, email);
    expect(link).toMatch(/^\/account\/email\/confirm\?token=ec_[0-9A-Za-z]{45}$/);
    expect(await emailOf(platform, ada)).toBe(ada.email);
    expect((await ada.dashboard.call('GET', '/profile/email')).json()).toEqual({
      pending: { email, expiresAt: expect.stringMatching(/Z$/) },
    });
    expect(await confirm(ada.browser, link)).toBe(200);
    expect(await emailOf(platform, ada)).toBe(email);
    expect((await ada.dashboard.call('GET', '/profile/email')).json()).toEqual({ pending: null });
    expect([await canLogIn(platform, { ...ada, email }), await canLogIn(platform, ada)]).toEqual([
      true,
      false,
    ]);
    const mail = await awaitMail(platform.mailDirectory, ada.email, 2);
    expect(mail.subject).toBe('Your email address was changed');
    expect(mail.text).toContain(email);
    expect(mail.link).toMatch(/^\/account\/email\/undo\?token=eu_[0-9A-Za-z]{45}$/);
    expect((await ada.dashboard.call('GET', '/notices')).text).not.toContain('eu_');
    const events = await platform.sql('SELECT details FROM audit_events WHERE subject_id = $1', [ada.id]);
    expect(JSON.stringify(events).toLowerCase()).not.toContain(email);
    expect((await eventsOf(platform, ada.id)).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['person.email_change_requested', 'person.email_changed']),
    );
  });

  test('gets no email about events before the change, such as the login of a thief', async () => {
    const ada = await openOwner();
    const email = newAddress('ada');
    const link = await linkTo(ada, email);
    // As if the change came before the next round of emails.
    await platform.sql(`CREATE FUNCTION due_later() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN NEW.mail_due_at := now() + interval '1 hour'; RETURN NEW; END $$`);
    const trigger = 'CREATE TRIGGER due_later BEFORE INSERT ON notices FOR EACH ROW';
    await platform.sql(`${trigger} WHEN (NEW.person_id = '${ada.id}') EXECUTE FUNCTION due_later()`);
    try {
      const thief = await logIn(platform, ada, 1);
      expect(await confirm(thief, link)).toBe(200);
    } finally {
      await platform.sql('DROP FUNCTION due_later() CASCADE');
    }
    const due = 'UPDATE notices SET mail_due_at = now() WHERE person_id = $1 RETURNING action';
    expect((await platform.sql(due, [ada.id])).map(({ action }) => action).sort()).toEqual([
      'person.email_changed',
      'person.logged_in',
    ]);
    const subjects = (address: string) =>
      allMailsTo(platform.mailDirectory, address).map(({ subject }) => subject);
    await expectEventually(
      () =>
        expect(subjects(ada.email)).toEqual(
          expect.arrayContaining(['Login from a new browser', 'Your email address was changed']),
        ),
      { withinMs: 20_000 },
    );
    const kept = 'SELECT recipient FROM notices WHERE person_id = $1 AND mail_due_at IS NULL';
    await expectEventually(
      async () =>
        expect(await platform.sql(kept, [ada.id])).toEqual([{ recipient: null }, { recipient: null }]),
      { withinMs: 20_000 },
    );
    expect(subjects(email)).not.toContain('Login from a new browser');
    // What happens from now on goes to the new one.
    await logIn(platform, { ...ada, email });
    await expectEventually(() => expect(subjects(email)).toContain('Login from a new browser'), {
      withinMs: 20_000,
    });
  });

  test('is confirmed once, whichever of two replicas gets it first', async () => {
    const ada = await openOwner();
    const link = await linkTo(ada, newAddress('ada'));
    const browsers = [ada.browser, await logIn(platform, ada, 1)];
    for (const browser of browsers) expect((await browser.open(link)).status).toBe(200);
    const presses = browsers.flatMap((browser) =>
      Array.from({ length: 4 }, () => browser.submit(confirmPath)),
    );
    const statuses = (await Promise.all(presses)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array(7).fill(400)]);
    expect(await platform.sql('SELECT 1 FROM email_undos WHERE person_id = $1', [ada.id])).toHaveLength(1);
    expect(await confirm(ada.browser, link)).toBe(400);
  });

  test('goes to only one of several people who confirm it at the same time', async () => {
    const email = newAddress('wanted');
    const owners = [await openOwner(), await openOwner(), await openOwner()];
    for (const owner of owners) {
      const link = await linkTo(owner, email);
      expect((await owner.browser.open(link)).status).toBe(200);
    }
    const responses = await Promise.all(owners.map(({ browser }) => browser.submit(confirmPath)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const emails = await Promise.all(owners.map((each) => emailOf(platform, each)));
    expect(emails.filter((each) => each === email)).toHaveLength(1);
  });

  test('is not confirmed after an hour, or by a link that was replaced or withdrawn', async () => {
    const ada = await openOwner();
    const older = await linkTo(ada, newAddress('ada'));
    const link = await linkTo(ada, newAddress('ada'));
    expect((await ada.browser.open(older)).status).toBe(400);
    expect((await ada.browser.open(link)).status).toBe(200);
    await platform.sql("UPDATE email_changes SET expires_at = now() - interval '1 ms' WHERE person_id = $1", [
      ada.id,
    ]);
    expect((await ada.browser.submit(confirmPath)).status).toBe(400);
    const withdrawn = await linkTo(ada, newAddress('ada'));
    expect((await ada.dashboard.call('DELETE', '/profile/email')).status).toBe(204);
    expect(await confirm(ada.browser, withdrawn)).toBe(400);
    expect(await emailOf(platform, ada)).toBe(ada.email);
  });

  test('is not confirmed once the password was changed', async () => {
    const ada = await openOwner();
    const link = await linkTo(ada, newAddress('ada'));
    const body = { current: ada.password, next: 'a loom that weaves algebra' };
    expect((await ada.dashboard.call('POST', '/profile/password', body)).status).toBe(204);
    expect(await confirm(ada.browser, link)).toBe(400);
    expect((await ada.dashboard.call('GET', '/profile/email')).json()).toEqual({ pending: null });
  });

  test('is confirmed only by the person who requested it, so that the link is useless in a wrong mailbox', async () => {
    const [ada, eve] = [await openOwner(), await openOwner()];
    const link = await linkTo(ada, newAddress('typo'));
    const stranger = newBrowser();
    await stranger.open(link);
    expect(stranger.page.path).toMatch(/^\/login\?continue=/);
    expect(await confirm(eve.browser, link)).toBe(400);
    expect([await emailOf(platform, ada), await emailOf(platform, eve)]).toEqual([ada.email, eve.email]);
    expect(await confirm(ada.browser, link)).toBe(200);
  });

  test('invalidates the password reset links that were sent to the old address', async () => {
    const ada = await openOwner();
    const forgot = newBrowser();
    await forgot.open('/password/forgot');
    await forgot.submit('/password/forgot', { email: ada.email });
    const { link: reset } = await awaitMail(platform.mailDirectory, ada.email, 2);
    expect((await forgot.open(reset)).status).toBe(200);
    expect(await confirm(ada.browser, await linkTo(ada, newAddress('ada')))).toBe(200);
    expect((await forgot.submit('/password/reset', { new_password: 'a loom of a stranger' })).status).toBe(
      400,
    );
  });
});

test('a password reset requested during a change of the email address sends no link to the old one', async () => {
  const ada = await openOwner();
  const email = newAddress('ada');
  const person = 'SELECT 1 FROM people WHERE id = $1 FOR UPDATE';
  const held = await holdLocks(platform.databases.identity, person, [ada.id]);
  const forgot = newBrowser();
  await forgot.open('/password/forgot');
  await forgot.submit('/password/forgot', { email: ada.email });
  await expectEventually(async () => expect(await held.waiting('%FROM people WHERE id%')).toBe(1), {
    withinMs: 15_000,
  });
  await held.run('UPDATE people SET email = $1 WHERE id = $2', [email, ada.id]);
  await held.release();
  // A link that the old mailbox got would keep this one from being made.
  await forgot.submit('/password/forgot', { email });
  expect((await awaitMail(platform.mailDirectory, email)).link).toMatch(/^\/password\/reset/);
  expect(
    allMailsTo(platform.mailDirectory, ada.email).filter(({ link }) => link.startsWith('/password')),
  ).toEqual([]);
});

describe('the email address of another person', () => {
  test('is not revealed by the response or the profile, and its mailbox gets an email without a link', async () => {
    const [ada, bob] = [await openOwner(), await openOwner()];
    const free = await askForEmail(ada, newAddress('free'));
    const taken = await askForEmail(ada, bob.email);
    expect([taken.status, taken.text]).toEqual([free.status, free.text]);
    expect((await ada.dashboard.call('GET', '/profile/email')).json()).toMatchObject({
      pending: { email: bob.email },
    });
    const mail = await awaitMail(platform.mailDirectory, bob.email, 2);
    expect([mail.subject, mail.link]).toEqual(['Your email address was entered for another account', '']);
  });

  /** Two who have the page that takes the same address: an account, and a sign-up. */
  async function openContested() {
    const ada = await openOwner();
    const email = newAddress('contested');
    await ada.browser.open(await linkTo(ada, email));
    const bob = newBrowser();
    await bob.open('/signup');
    await bob.submit('/signup', { email });
    await bob.open((await awaitMail(platform.mailDirectory, email, 2)).link);
    const username = `wheels-${Date.now().toString(36)}`;
    const fields = { name: 'Bob', password: 'seven brass wheels turn', business_name: 'Wheels', username };
    return { ada, email, signUp: () => bob.submit('/signup/confirm', fields) };
  }

  test('that a sign-up claims at the same time goes to only one of the two', async () => {
    const { ada, email, signUp } = await openContested();
    const lock = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';
    const held = await holdLocks(platform.databases.identity, lock, [`email:${email}`]);
    const change = ada.browser.submit(confirmPath);
    await held.untilWaiting(1);
    const account = signUp();
    await held.untilWaiting(2);
    await held.release();
    expect([(await change).status, (await account).status]).toEqual([200, 400]);
    expect(await emailOf(platform, ada)).toBe(email);
  });

  test('that was taken between request and confirmation is refused', async () => {
    const { ada, signUp } = await openContested();
    expect((await signUp()).status).toBe(303);
    const refused = await ada.browser.submit(confirmPath);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('no longer valid')]);
    expect(await emailOf(platform, ada)).toBe(ada.email);
  });
});

describe('a request for a new email address', () => {
  test('requires the password and a valid address, and its error names the invalid field', async () => {
    const ada = await openOwner();
    const errorsOf = async (email: string, more: object = {}) => {
      const { code, reason, fields } = refusalOf(await askForEmail(ada, email, more));
      return [code, reason, fields];
    };
    const email = newAddress('ada');
    expect(await errorsOf(email, { password: 'not my password' })).toEqual([
      400,
      'wrong_password',
      ['password'],
    ]);
    expect(await errorsOf('ada@')).toEqual([400, 'invalid_email', ['email']]);
    expect(await errorsOf(`${'a'.repeat(250)}@example.com`)).toEqual([400, 'invalid_email', ['email']]);
    expect(await errorsOf(` ${ada.email} `)).toEqual([400, 'same_email', ['email']]);
    expect(mailsTo(platform.mailDirectory, email)).toEqual([]);
  });

  test('needs a code of the second factor, which works once', async () => {
    const ada = await openOwner();
    const { password } = ada;
    const offer = await ada.dashboard.call('POST', '/profile/second-factor', { password });
    const { secret } = z.object({ secret: z.string() }).parse(offer.json());
    const { code, earliestCode } = authenticatorOf(secret);
    await ada.dashboard.call('POST', '/profile/second-factor/confirm', { code: await earliestCode() });
    const email = newAddress('ada');
    expect(refusalOf(await askForEmail(ada, email))).toMatchObject({
      reason: 'code_required',
      fields: ['code'],
    });
    const wrong = refusalOf(await askForEmail(ada, email, { code: '000000' }));
    expect(wrong).toMatchObject({ code: 400, reason: 'wrong_code', fields: ['code'] });
    const shown = code();
    expect((await askForEmail(ada, email, { code: shown })).status).toBe(204);
    expect(refusalOf(await askForEmail(ada, email, { code: shown })).reason).toBe('wrong_code');
    expect((await eventsOf(platform, ada.id)).map(({ action }) => action)).toContain(
      'person.second_factor_failed',
    );
  });
});
