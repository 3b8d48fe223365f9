import { describe, expect, test } from '@jest/globals';
import { type Browser, createBrowser, decode, hiddenFields } from '../harness/browser.ts';
import { untilBusinessIsBack } from '../harness/business-outage.ts';
import { holdLocks } from '../harness/hold-table.ts';
import { awaitMail, mailsTo, newAddress, signUp } from '../harness/people.ts';
import { query } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const call = { deadlineMs: 30_000 };
const details = {
  name: 'Grace Hopper',
  password: 'nanoseconds in a coil of wire',
  business_name: 'Compilers & Co',
  username: 'compilers',
};

const platform = running(sharedPlatform);

const newBrowser = (gateway = 0) => createBrowser(platform.gatewayPorts[gateway] ?? 0);

/** Asks for the link and opens it. */
async function openLink(email: string, browser: Browser = newBrowser()): Promise<Browser> {
  const before = mailsTo(platform.mailDirectory, email).length;
  await browser.open('/signup');
  expect((await browser.submit('/signup', { email })).status).toBe(200);
  const { link } = await awaitMail(platform.mailDirectory, email, before + 1);
  await browser.open(link);
  return browser;
}

const peopleNamed = (email: string) =>
  platform.sql<{ id: string }>('SELECT id FROM people WHERE email = $1', [email]);

const businessesNamed = (username: string) =>
  query<{ id: number }>(platform.databases.business, 'SELECT id FROM businesses WHERE username = $1', [
    username,
  ]);

test('a link copied from the raw text of an email works, and the HTML part contains the same link', async () => {
  const email = newAddress('ada');
  const browser = newBrowser();
  await browser.open('/signup');
  await browser.submit('/signup', { email });
  const { raw, html } = await awaitMail(platform.mailDirectory, email);
  const line =
    raw.split('\r\n').find((each) => each.startsWith(`${platform.publicUrl}/signup/confirm?`)) ?? '';
  expect(html).toContain(`<a href="${line}"`);
  expect((await browser.open(line.slice(platform.publicUrl.length))).status).toBe(200);
  expect(browser.page.response.text).toContain('/signup/confirm');
});

test('a return path that would exceed the line length of SMTP is left out of the email', async () => {
  const { email } = await signUp(platform);
  const wish = `/oauth/authorize?client_id=app_1&state=${'a'.repeat(800)}`;
  const browser = newBrowser();
  for (const [address, path] of [
    [newAddress('long'), '/signup/confirm'],
    [email, '/login'],
  ] as const) {
    const before = mailsTo(platform.mailDirectory, address).length;
    await browser.open(`/signup?continue=${encodeURIComponent(wish)}`);
    await browser.submit('/signup', { email: address });
    const { link, raw } = await awaitMail(platform.mailDirectory, address, before + 1);
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
    expect(link.replace(/\?token=\w+$/, '')).toBe(path);
  }
});

test('a person can sign up and have a business verified over either gateway', async () => {
  const { browser, businessId } = await signUp(platform, { businessName: 'Analytical Engines' });
  await browser.open(`/account/verification?business=${businessId}`);
  expect(browser.page.response.text).toMatch(/Analytical Engines.*Not verified/s);
  const facts = { legal_name: 'Analytical Engines Ltd', registration_number: 'HRB 1', country: 'gb' };
  await browser.submitAndFollow('/account/verification', facts);
  expect(browser.page.response.text).toContain('In review');

  await platform.businessRpc.RejectVerification(
    { businessId, reason: 'The number is <b>unknown</b>.' },
    call,
  );
  await browser.open('/account/verification');
  expect(browser.page.response.text).toContain('The number is &lt;b&gt;unknown&lt;/b&gt;.');
  await browser.submitAndFollow('/account/verification', { ...facts, registration_number: 'HRB 2' });

  await platform.businessRpc.ApproveVerification({ businessId }, call);
  const other = newBrowser(1);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  await other.open('/account/verification');
  expect(other.page.response.text).toMatch(/Analytical Engines.*Verified/s);
  const { business } = await platform.businessRpc.GetBusiness({ businessId }, call);
  expect(business?.verification).toMatchObject({ registrationNumber: 'HRB 2', country: 'GB' });
});

test('a person who signs up is the owner of the business, and the audit log records the sign-up', async () => {
  const { id, businessId } = await signUp(platform);
  const sql = (text: string) => platform.sql(text, [id]);
  expect(await sql('SELECT business_id::int, role FROM memberships WHERE person_id = $1')).toEqual([
    { business_id: businessId, role: 'owner' },
  ]);
  expect(
    await sql('SELECT business_id::int, action, actor_id FROM audit_events WHERE subject_id = $1'),
  ).toEqual([{ business_id: businessId, action: 'person.signed_up', actor_id: id }]);
});

test('signing up with the address of an account gets the same response, but another email', async () => {
  const { email } = await signUp(platform);
  const browser = newBrowser();
  const responses = [];
  for (const address of [email, ` ${email.toUpperCase()} `, newAddress('unknown')]) {
    await browser.open('/signup');
    const { status, text } = await browser.submit('/signup', { email: address });
    responses.push({ status, text });
  }
  expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
  const letter = await awaitMail(platform.mailDirectory, email, 3);
  expect(letter.subject).toBe('You already have an account');
  expect(letter.link).toBe('/login');
  expect(await peopleNamed(email)).toHaveLength(1);
});

describe('a sign-up link', () => {
  test('works once', async () => {
    const browser = await openLink(newAddress('once'));
    const { path } = browser.page;
    const fields = { ...details, username: 'once-only' };
    const again = newBrowser();
    await again.open(path);
    expect((await browser.submit('/signup/confirm', fields)).headers.location).toBe('/dashboard');
    const second = await again.submit('/signup/confirm', { ...fields, username: 'once-more' });
    expect([second.status, second.text]).toEqual([400, expect.stringContaining('no longer valid')]);
    expect((await newBrowser().open(path)).status).toBe(400);
    expect(await businessesNamed('once-more')).toEqual([]);
  });

  test('makes one account when it is used many times at once', async () => {
    const email = newAddress('many');
    const browser = await openLink(email);
    const tries = Array.from({ length: 8 }, () =>
      browser.submit('/signup/confirm', { ...details, username: 'many-at-once' }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    expect(statuses).toEqual([303, ...Array(7).fill(400)]);
    expect(await peopleNamed(email)).toHaveLength(1);
    expect(await businessesNamed('many-at-once')).toHaveLength(1);
  });

  test('does not work after an hour, nor with another token', async () => {
    const email = newAddress('late');
    const browser = await openLink(email);
    await platform.sql("UPDATE sign_ups SET expires_at = now() - interval '1 second' WHERE email = $1", [
      email,
    ]);
    expect((await browser.submit('/signup/confirm', details)).status).toBe(400);
    expect((await newBrowser().open(browser.page.path)).status).toBe(400);
    expect((await newBrowser().open('/signup/confirm?token=su_nothing')).status).toBe(400);
    expect(await peopleNamed(email)).toEqual([]);
  });

  test('is no longer valid once its address has an account', async () => {
    const email = newAddress('twice');
    const [first, second] = [await openLink(email), await openLink(email)];
    const sql = (text: string, values: unknown[] = [email]) => platform.sql(text, values);
    const rows = await sql('SELECT to_jsonb(s) AS row FROM sign_ups s WHERE email = $1');
    await first.submit('/signup/confirm', { ...details, username: 'twice-first' });
    expect((await newBrowser().open(second.page.path)).status).toBe(400);
    expect(await sql('SELECT 1 FROM sign_ups WHERE email = $1')).toEqual([]);
    // As one that was asked for while the other was completed.
    const again = 'INSERT INTO sign_ups SELECT * FROM jsonb_populate_record(NULL::sign_ups, $1)';
    for (const { row } of rows) await sql(again, [row]);
    const response = await second.submit('/signup/confirm', { ...details, username: 'twice-second' });
    expect([response.status, response.text]).toEqual([400, expect.stringContaining('no longer valid')]);
    expect(await peopleNamed(email)).toHaveLength(1);
    expect(await businessesNamed('twice-second')).toEqual([]);
  });

  test('creates only one business when another link of its address is used at the same time', async () => {
    const email = newAddress('both');
    const [first, second] = [await openLink(email), await openLink(email)];
    const lock = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';
    const held = await holdLocks(platform.databases.identity, lock, [`email:${email}`]);
    const tries = [first, second].map((browser, i) =>
      browser.submit('/signup/confirm', { ...details, username: `both-${i}` }),
    );
    // Both have a business, and neither has the address.
    await held.untilWaiting(2);
    await held.release();
    expect((await Promise.all(tries)).map(({ status }) => status).sort()).toEqual([303, 400]);
    expect([...(await businessesNamed('both-0')), ...(await businessesNamed('both-1'))]).toHaveLength(1);
    expect(await peopleNamed(email)).toHaveLength(1);
  });

  test('continues to an authorization request via a page, so that form-action does not block its redirects', async () => {
    const email = newAddress('authorizes');
    const browser = newBrowser();
    const wish = '/oauth/authorize?client_id=app_1&state=a';
    await browser.open(`/signup?continue=${encodeURIComponent(wish)}`);
    await browser.submit('/signup', { email });
    await browser.open((await awaitMail(platform.mailDirectory, email)).link);
    const { status, text } = await browser.submit('/signup/confirm', { ...details, username: 'authorizes' });
    expect(status).toBe(200);
    const [, url = ''] = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(text) ?? [];
    expect(decode(url)).toBe(wish);
  });
});

test('errors are shown at their fields, and the entered values are kept except for the password', async () => {
  const browser = await openLink(newAddress('errors'));
  const typed = { name: ' ', password: 'errors-people-t', business_name: 'B<i>', username: 'No!' };
  const { status, text } = await browser.submit('/signup/confirm', typed);
  expect(status).toBe(400);
  expect(text).toContain('id="name-error">Enter your name.');
  expect(text).toMatch(/id="password-error">Not counting your email address/);
  expect(text).toMatch(/id="username-error">Use 3 to 32 lowercase letters/);
  expect(text).toContain('<a href="#username">');
  expect(text).toContain('value="B&lt;i&gt;"');
  expect(text).not.toContain(typed.password);
  expect((await browser.submit('/signup/confirm', { ...details, username: 'after-errors' })).status).toBe(
    303,
  );
});

test('a taken username is reported at its field, and another one is accepted', async () => {
  await signUp(platform, { username: 'taken-name' });
  const browser = await openLink(newAddress('taken'));
  const { status, text } = await browser.submit('/signup/confirm', { ...details, username: 'Taken-Name' });
  expect([status, text]).toEqual([400, expect.stringContaining('This username is taken.')]);
  expect(text).toContain('value="Compilers &amp; Co"');
  expect((await browser.submit('/signup/confirm', { ...details, username: 'free-name' })).status).toBe(303);
});

test('repeating a sign-up after a lost response of business-service creates only one business', async () => {
  const email = newAddress('lost');
  const browser = await openLink(email);
  const fields = { ...details, username: 'lost-response' };
  const [business] = platform.businesses;
  business?.freeze();
  const lost = await browser.submit('/signup/confirm', fields);
  business?.thaw();
  expect([lost.status, lost.headers['retry-after']]).toEqual([503, '2']);
  await untilBusinessIsBack(platform);
  expect(await peopleNamed(email)).toEqual([]);

  await browser.submitAndFollow('/signup/confirm', fields);
  expect(browser.page.path).toBe('/dashboard');
  expect(await businessesNamed('lost-response')).toHaveLength(1);
});

test('names are text, never markup', async () => {
  const attack = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>`;
  const { browser } = await signUp(platform, { name: attack.slice(0, 100), businessName: attack });
  const { text } = await browser.open('/account/verification');
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img src=x');
  expect(text).not.toMatch(/<script|<img src=x/i);
});

test('the verification of another business can be neither read nor submitted', async () => {
  const [ada, eve] = [await signUp(platform), await signUp(platform)];
  expect((await eve.browser.open(`/account/verification?business=${ada.businessId}`)).status).toBe(404);
  await eve.browser.open('/account/verification');
  const facts = { legal_name: 'Eve Ltd', registration_number: '1', country: 'DE' };
  const swapped = await eve.browser.submit('/account/verification', {
    ...facts,
    business: `${ada.businessId}`,
  });
  expect(swapped.status).toBe(404);
  const { business } = await platform.businessRpc.GetBusiness({ businessId: ada.businessId }, call);
  expect(business?.verification?.status).toBe('VERIFICATION_STATUS_UNVERIFIED');
});

test('a verification form that is submitted twice at once leads to the same page both times', async () => {
  const { browser, businessId } = await signUp(platform);
  await browser.open('/account/verification');
  const facts = { legal_name: 'Twice Ltd', registration_number: '1', country: 'DE' };
  const hidden = hiddenFields(browser.page.response.text, '/account/verification');
  const responses = await Promise.all(
    [1, 2].map(() => browser.send('POST', '/account/verification', { form: { ...hidden, ...facts } })),
  );
  const expected = `/account/verification?business=${businessId}`;
  expect(responses.map(({ headers }) => headers.location)).toEqual([expected, expected]);
});
