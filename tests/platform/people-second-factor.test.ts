import { describe, expect, test } from '@jest/globals';
import { type Authenticator, authenticatorOf } from '../harness/authenticator.ts';
import { type Browser, createBrowser, hiddenFields } from '../harness/browser.ts';
import { holdLocks } from '../harness/hold-table.ts';
import { logIn, signUp, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const platform = running(sharedPlatform);

const newBrowser = (gateway = 0) => createBrowser(platform.gatewayPorts[gateway] ?? 0);
const page = '/account/second-factor';

interface Protected extends TestPerson {
  readonly recoveryCodes: readonly string[];
  /** The code with which it was turned on. */
  readonly usedCode: string;
  /** A code of the app; `steps` ahead of now. A later one is new, and one step ahead is taken. */
  code(steps?: number): string;
}

/** The app, with the key of the browser's page. */
function appOf({ page: { response } }: Browser): Authenticator {
  const [, typed = ''] = /enter this key: <span class="code">([A-Z2-7 ]+)</.exec(response.text) ?? [];
  return authenticatorOf(typed);
}

/** Signs up and turns the second factor on, with the code of the step before this one. */
async function signUpProtected(): Promise<Protected> {
  const person = await signUp(platform);
  const { browser, password } = person;
  await browser.open(page);
  await browser.submitAndFollow(`${page}/begin`, { password });
  const { code, earliestCode } = appOf(browser);
  const usedCode = await earliestCode();
  const shown = await browser.submitAndFollow(`${page}/confirm`, { code: usedCode });
  const recoveryCodes = [...shown.text.matchAll(/<li>([0-9a-z]{5}-[0-9a-z]{5})<\/li>/g)].map(
    ([, text = '']) => text,
  );
  expect(recoveryCodes).toHaveLength(10);
  return { ...person, recoveryCodes, usedCode, code };
}

/** A browser that has shown the password. */
async function firstStep(person: TestPerson, gateway = 0, wish = ''): Promise<Browser> {
  const browser = newBrowser(gateway);
  await browser.open(`/login${wish}`);
  await browser.submitAndFollow('/login', { email: person.email, password: person.password });
  expect(browser.page.path).toMatch(/^\/login\/second-factor\?/);
  return browser;
}

const secondStep = (browser: Browser, code: string) => browser.submit('/login/second-factor', { code });

test('turning on a second factor shows a QR code, and then the recovery codes once', async () => {
  const ada = await signUp(platform);
  await ada.browser.open(page);
  const offered = await ada.browser.submitAndFollow(`${page}/begin`, { password: ada.password });
  expect(offered.text).toMatch(/<svg class="qr" role="img" aria-label="[^"]+" viewBox="0 0 \d+ \d+"/);
  const grace = await signUpProtected();
  const { text } = await grace.browser.open(page);
  expect(text).toContain('10 of your recovery codes are left');
  for (const code of grace.recoveryCodes) expect(text).not.toContain(code);
});

test('turning on a second factor requires the password and a code of the app', async () => {
  const ada = await signUp(platform);
  const { browser } = ada;
  await browser.open(page);
  expect((await browser.submit(`${page}/begin`, { password: 'not my password at all' })).status).toBe(400);
  await browser.submitAndFollow(`${page}/begin`, { password: ada.password });
  const wrong = await browser.submit(`${page}/confirm`, { code: '000000' });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('id="code-error"')]);
  await logIn(platform, ada);
});

describe('an offered secret of a second factor', () => {
  /** Signs up and shows the password, for the page with the secret. */
  async function signUpOffered() {
    const person = await signUp(platform);
    await person.browser.open(page);
    await person.browser.submitAndFollow(`${page}/begin`, { password: person.password });
    return { ...person, app: appOf(person.browser) };
  }
  /** Sends a form that the browser's page may not have: the `_csrf` of any other is accepted. */
  async function post(browser: Browser, action: string, fields: Readonly<Record<string, string>>) {
    const { text } = await browser.send('GET', '/account/password');
    const form = { ...hiddenFields(text, '/account/password'), ...fields };
    const { status, headers } = await browser.send('POST', `${page}/${action}`, { form });
    return [status, headers.location];
  }
  const confirm = (browser: Browser, code: string) => post(browser, 'confirm', { code });
  const done = [200, undefined];
  const nothingOffered = [303, page];
  const key = '<span class="code">';

  test('is shown only once, after the password was entered, and never in an open session alone', async () => {
    const { browser, app } = await signUpOffered();
    const code = await app.earliestCode();
    const wrong = await browser.submit(`${page}/confirm`, { code: '000000' });
    expect([wrong.status, wrong.text.includes(key), wrong.text.includes('<svg')]).toEqual([
      400,
      false,
      false,
    ]);
    const { text } = await browser.open(page);
    expect([text.includes(key), text.includes('Turn on')]).toEqual([false, true]);
    expect(await confirm(browser, code)).toEqual(done);
  });

  test('is confirmed in its own session only', async () => {
    const ada = await signUpOffered();
    const other = await logIn(platform, ada, 1);
    const code = await ada.app.earliestCode();
    expect(await confirm(other, code)).toEqual(nothingOffered);
    expect(await confirm(ada.browser, code)).toEqual(done);
  });

  test('ends after ten minutes', async () => {
    const { id, browser, app } = await signUpOffered();
    const text = `UPDATE sessions
      SET data = jsonb_set(data, '{totpOffer,until}', to_jsonb((data #>> '{totpOffer,until}')::timestamptz - interval '10 minutes'))
      WHERE person_id = $1 AND data ? 'totpOffer'`;
    await platform.sql(text, [id]);
    expect(await confirm(browser, await app.earliestCode())).toEqual(nothingOffered);
  });

  test('ends with a new password, even in the session that continues', async () => {
    const { browser, app, password } = await signUpOffered();
    await browser.open('/account/password');
    const fields = { password, new_password: 'twelve punched cards a day' };
    expect((await browser.submit('/account/password', fields)).status).toBe(303);
    expect(await confirm(browser, await app.earliestCode())).toEqual(nothingOffered);
  });

  test('is not confirmed by a code of the previous secret that is sent at the same time', async () => {
    const { id, browser, app, password } = await signUpOffered();
    const code = await app.earliestCode();
    const held = await holdLocks(
      platform.databases.identity,
      'SELECT 1 FROM people WHERE id = $1 FOR UPDATE',
      [id],
    );
    const confirmed = confirm(browser, code);
    await held.untilWaiting(1);
    const again = await post(browser, 'begin', { password });
    await held.release();
    expect(await confirmed).toEqual(nothingOffered);
    expect(again).toEqual(done);
  });
});

test('turning on a second factor gives the session a new id', async () => {
  const ada = await signUp(platform);
  const before = ada.browser.session;
  const grace = await signUpProtected();
  expect(grace.browser.session).not.toBe(before);
  await grace.browser.open('/account/sessions');
  expect(grace.browser.page.path).toBe('/account/sessions');
});

test('turning it on ends every session that was opened without it', async () => {
  const ada = await signUp(platform);
  const other = await logIn(platform, ada, 1);
  const { browser, password } = ada;
  await browser.open(page);
  await browser.submitAndFollow(`${page}/begin`, { password });
  const code = await appOf(browser).earliestCode();
  expect((await browser.submit(`${page}/confirm`, { code })).status).toBe(200);
  await other.open('/account/sessions');
  expect(other.page.path).toMatch(/^\/login\?/);
  await browser.open('/account/sessions');
  expect(browser.page.path).toBe('/account/sessions');
});

test('a login that spans the moment of turning on a second factor opens no session', async () => {
  const ada = await signUp(platform);
  const slow = await logIn(platform, ada);
  const turnOn = "UPDATE people SET totp_secret = 'x', totp_confirmed_at = now() WHERE id = $1";
  await platform.sql(turnOn, [ada.id]);
  await slow.open('/account/sessions');
  expect(slow.page.path).toMatch(/^\/login\?/);
});

describe('a login', () => {
  test('requires a code after the password, and then leads to the requested page', async () => {
    const ada = await signUpProtected();
    const browser = await firstStep(ada, 1, '?continue=/account/sessions');
    expect((await secondStep(browser, ada.code())).headers.location).toBe('/account/sessions');
    await browser.open('/account/sessions');
    expect(browser.page.path).toBe('/account/sessions');
  });

  test('gives no access before the code, and every page of the account asks for it', async () => {
    const ada = await signUpProtected();
    const browser = await firstStep(ada);
    for (const path of ['/account/sessions', '/account/password', page]) {
      await browser.open(path);
      expect(browser.page.path).toMatch(/^\/login\?continue=/);
    }
  });

  test('gets a new id at each step', async () => {
    const ada = await signUpProtected();
    const browser = await firstStep(ada);
    const before = browser.session;
    await secondStep(browser, ada.code());
    expect(browser.session).not.toBe(before);
  });

  test('accepts a code once over all replicas', async () => {
    const ada = await signUpProtected();
    expect((await secondStep(await firstStep(ada), ada.usedCode)).status).toBe(400);
    const code = ada.code();
    expect((await secondStep(await firstStep(ada), code)).status).toBe(303);
    const replay = await secondStep(await firstStep(ada, 1), code);
    expect([replay.status, replay.text]).toEqual([400, expect.stringContaining('already used')]);
    expect((await secondStep(await firstStep(ada, 1), ada.code(1))).status).toBe(303);
    expect((await secondStep(await firstStep(ada), ada.code())).status).toBe(400);
  });

  test('accepts a code once, even if it is sent ten times at once', async () => {
    const ada = await signUpProtected();
    const browsers = await Promise.all(Array.from({ length: 10 }, (_, n) => firstStep(ada, n % 2)));
    const responses = await Promise.all(browsers.map((browser) => secondStep(browser, ada.code(1))));
    expect(responses.map(({ status }) => status).sort()).toEqual([303, ...Array(9).fill(400)]);
  });

  test('refuses codes of another time or person', async () => {
    const [ada, eve] = [await signUpProtected(), await signUpProtected()];
    const browser = await firstStep(ada);
    for (const code of [
      ada.code(-3),
      ada.code(4),
      eve.code(1),
      eve.recoveryCodes[0] ?? '',
      '',
      '000000',
      'x'.repeat(300),
    ]) {
      expect((await secondStep(browser, code)).status).toBe(400);
    }
    expect((await secondStep(browser, ` ${ada.code().replace(/(...)/, '$1 ')} `)).status).toBe(303);
  });

  test('accepts each recovery code once instead of a code', async () => {
    const ada = await signUpProtected();
    const [first = '', second = ''] = ada.recoveryCodes;
    expect((await secondStep(await firstStep(ada), first.toUpperCase().replace('-', ' '))).status).toBe(303);
    expect((await secondStep(await firstStep(ada), first)).status).toBe(400);
    expect((await secondStep(await firstStep(ada, 1), second)).status).toBe(303);
    expect((await ada.browser.open(page)).text).toContain('8 of your recovery codes are left');
  });

  test('accepts no code without the password before it', async () => {
    const ada = await signUpProtected();
    const browser = newBrowser();
    const { text } = await browser.open('/login');
    const token = /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
    const response = await browser.send('POST', '/login/second-factor', {
      form: { _csrf: token, code: ada.code() },
    });
    expect(response.headers.location).toBe('/login');
  });

  test('that waits for its code ends with a new password or after ten minutes', async () => {
    const ada = await signUpProtected();
    const late = await firstStep(ada);
    await platform.sql(
      "UPDATE sessions SET expires_at = expires_at - interval '10 minutes' WHERE data ->> 'awaiting' = $1",
      [ada.id],
    );
    expect((await late.send('GET', '/login/second-factor')).headers.location).toBe('/login');

    const waiting = await firstStep(ada);
    await ada.browser.open('/account/password');
    const fields = { password: ada.password, new_password: 'twelve punched cards a day' };
    expect((await ada.browser.submit('/account/password', fields)).status).toBe(303);
    expect((await secondStep(waiting, ada.code())).status).toBe(400);
  });

  test('is recorded with its second factor, and so is a wrong code', async () => {
    const ada = await signUpProtected();
    await secondStep(await firstStep(ada), '000000');
    await secondStep(await firstStep(ada), ada.code());
    await secondStep(await firstStep(ada), ada.recoveryCodes[0] ?? '');
    const rows = await platform.sql(
      'SELECT action, details FROM audit_events WHERE subject_id = $1 ORDER BY id',
      [ada.id],
    );
    const described = 'Unknown browser';
    expect(rows).toEqual([
      { action: 'person.signed_up', details: { role: 'owner' } },
      { action: 'person.second_factor_enabled', details: {} },
      { action: 'person.second_factor_failed', details: {} },
      { action: 'person.logged_in', details: { secondFactor: 'code', newBrowser: described } },
      { action: 'person.logged_in', details: { secondFactor: 'recovery_code', newBrowser: described } },
    ]);
  });
});

/** Statuses of a change that is sent without password, without code, with a wrong code and with a code of the app. */
async function tryChange({ browser, password, code }: Protected, change: 'codes' | 'off') {
  const statuses = [];
  for (const fields of [
    { password: 'not my password at all', code: code() },
    { password },
    { password, code: '000000' },
    { password, code: code() },
  ]) {
    await browser.open(page);
    statuses.push((await browser.submitAndFollow(`${page}/change`, { ...fields, do: change })).status);
  }
  return statuses;
}

test('creating recovery codes requires the password and a code, and replaces the old ones', async () => {
  const ada = await signUpProtected();
  expect(await tryChange(ada, 'codes')).toEqual([400, 400, 400, 200]);
  const [, fresh = ''] = /<li>([0-9a-z]{5}-[0-9a-z]{5})<\/li>/.exec(ada.browser.page.response.text) ?? [];
  expect((await secondStep(await firstStep(ada), ada.recoveryCodes[0] ?? '')).status).toBe(400);
  expect((await secondStep(await firstStep(ada), fresh)).status).toBe(303);
});

test('turning it off takes password and code; then the password is enough again', async () => {
  const ada = await signUpProtected();
  expect(await tryChange(ada, 'off')).toEqual([400, 400, 400, 200]);
  expect(ada.browser.page.response.text).toContain('Turn on');
  await logIn(platform, ada);
});

test('the secret and the codes are not stored in plain text', async () => {
  const ada = await signUpProtected();
  const rows = await platform.sql<{ row: string }>(
    'SELECT p::text AS row FROM people p UNION ALL SELECT r::text FROM recovery_codes r UNION ALL SELECT a::text FROM audit_events a',
  );
  const text = rows.map(({ row }) => row).join('\n');
  const codes = ada.recoveryCodes.flatMap((code) => [code, code.replace('-', '')]);
  for (const secret of [...codes, ada.password]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('hex'));
  }
});
