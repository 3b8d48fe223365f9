import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { actionsOf } from '../harness/audit-events.ts';
import { type Browser, hiddenFields } from '../harness/browser.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import { metricOf } from '../harness/metrics.ts';
import { logIn, signUp, type TestPerson } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import type { TestService } from '../harness/service.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const platform = running(sharedPlatform);

async function isLoggedIn(browser: Browser): Promise<boolean> {
  await browser.open('/account/sessions');
  return browser.page.path === '/account/sessions';
}

/** References of the sessions that the page lists, latest use first. */
async function listed(browser: Browser): Promise<string[]> {
  const { text } = await browser.open('/account/sessions');
  return [...text.matchAll(/name="session" value="([0-9a-f]{64})"/g)].map(([, reference = '']) => reference);
}

test('the list of sessions shows all sessions of the person with browser and address, and no others', async () => {
  const ada = await signUp(platform);
  const phone = await logIn(platform, ada, 1);
  const eve = await signUp(platform);
  expect(await listed(ada.browser)).toHaveLength(2);
  expect(await listed(eve.browser)).toHaveLength(1);
  const { text } = await phone.send('GET', '/account/sessions', {
    headers: { 'User-Agent': '<b>Mozilla/5.0 (Android) Chrome/140' },
  });
  expect(text).toMatch(/Unknown browser.*This session.*127\.0\.0\.1/s);
});

test('a session shows the name of its browser, but never the text of the User-Agent header', async () => {
  const ada = await signUp(platform);
  const { browser } = ada;
  const agents = [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    ['<script>alert(1)</script>', 'Unknown browser'],
  ] as const;
  for (const [agent, shown] of agents) {
    const form = hiddenFields((await browser.open('/account/sessions')).text, '/logout');
    await browser.send('POST', '/logout', { form });
    const page = await browser.open('/login');
    const fields = { ...hiddenFields(page.text, '/login'), email: ada.email, password: ada.password };
    await browser.send('POST', '/login', { form: fields, headers: { 'User-Agent': agent } });
    expect((await browser.open('/account/sessions')).text).toContain(`<strong>${shown}</strong>`);
  }
});

describe('a person', () => {
  test('can end a single session at once on every replica', async () => {
    const ada = await signUp(platform);
    const phone = await logIn(platform, ada, 1);
    const [latest = ''] = await listed(phone);
    await ada.browser.open('/account/sessions');
    await ada.browser.submit('/account/sessions/end', { session: latest });
    expect([await isLoggedIn(phone), await isLoggedIn(ada.browser)]).toEqual([false, true]);
    expect(await actionsOf(platform, ada)).toEqual([
      'person.signed_up',
      'person.logged_in',
      'person.session_ended',
    ]);
  });

  test('can end all sessions except the current one', async () => {
    const ada = await signUp(platform);
    const others = [await logIn(platform, ada), await logIn(platform, ada, 1)];
    await ada.browser.open('/account/sessions');
    await ada.browser.submitAndFollow('/account/sessions/end-others');
    expect(await Promise.all(others.map(isLoggedIn))).toEqual([false, false]);
    expect(await isLoggedIn(ada.browser)).toBe(true);
  });

  test('can end the current session, which is a logout', async () => {
    const { browser } = await signUp(platform);
    const [own = ''] = await listed(browser);
    const { headers } = await browser.submit('/account/sessions/end', { session: own });
    expect(headers.location).toBe('/login?after=logged-out');
    expect(await isLoggedIn(browser)).toBe(false);
  });

  test('cannot end a session of another person', async () => {
    const [ada, eve] = [await signUp(platform), await signUp(platform)];
    const [adas = ''] = await listed(ada.browser);
    await eve.browser.open('/account/sessions');
    await eve.browser.submit('/account/sessions/end', { session: adas });
    expect(await isLoggedIn(ada.browser)).toBe(true);
  });

  test('ends sessions permanently, even those with requests in progress', async () => {
    const ada = await signUp(platform);
    const phone = await logIn(platform, ada);
    await ada.browser.open('/account/sessions');
    const pages = Array.from({ length: 20 }, () => phone.send('GET', '/account/sessions'));
    await ada.browser.submit('/account/sessions/end-others');
    await Promise.all(pages);
    expect(await isLoggedIn(phone)).toBe(false);
  });

  test('ends all other sessions with a new password, and the current one gets a new ID', async () => {
    const ada = await signUp(platform);
    const phone = await logIn(platform, ada);
    const before = ada.browser.session;
    await ada.browser.open('/account/password');
    const fields = { password: ada.password, new_password: 'twelve punched cards a day' };
    await ada.browser.submitAndFollow('/account/password', fields);
    expect(ada.browser.page.response.text).toContain('You are logged out everywhere else.');
    expect(ada.browser.session).not.toBe(before);
    expect([await isLoggedIn(ada.browser), await isLoggedIn(phone)]).toEqual([true, false]);
  });

  test('ends with a new password even a session that begins at the same moment with the old one', async () => {
    const ada = await signUp(platform);
    const late = await logIn(platform, ada);
    // As if its row had been written after the others were deleted.
    await platform.sql(
      "UPDATE people SET password_set_at = clock_timestamp() + interval '1 second' WHERE id = $1",
      [ada.id],
    );
    expect(await isLoggedIn(late)).toBe(false);
  });
});

test('the session ID of the cookie is not stored in the database', async () => {
  const { browser } = await signUp(platform);
  const [, id = ''] = /^s%3A([\w-]+)\./.exec(browser.session ?? '') ?? [];
  expect(id).toHaveLength(32);
  const [{ rows = '' } = {}] = await platform.sql<{ rows: string }>(
    "SELECT string_agg(s::text, ' ') AS rows FROM sessions s",
  );
  expect(rows).not.toContain(id);
  expect(rows).not.toContain(Buffer.from(id, 'base64url').toString('hex'));
});

test('a database that does not respond leads to an error page, and ends no session', async () => {
  const { browser } = await signUp(platform);
  const sessions = await holdTable(platform.databases.identity, 'sessions');
  const lost = await browser.send('GET', '/account/sessions');
  await sessions.release();
  expect([lost.status, lost.headers['retry-after']]).toEqual([503, '2']);
  expect(lost.text).toContain('<h1>Not available right now</h1>');
  expect(lost.headers['set-cookie']).toBeUndefined();
  expect(await isLoggedIn(browser)).toBe(true);
});

describe('with an idle limit of 10 and a total limit of 20 minutes', () => {
  let short: Platform;
  let ada: TestPerson;
  beforeAll(async () => {
    const limits = { SESSION_IDLE_SECONDS: '600', SESSION_SECONDS: '1200' };
    short = await startPlatform({ identityEnv: limits });
    ada = await signUp(short);
  });
  afterAll(() => short.close());

  /** Moves a time of her sessions back. */
  const earlier = (column: 'expires_at' | 'last_seen_at', minutes: number) =>
    query(
      short.databases.identity,
      `UPDATE sessions SET ${column} = ${column} - make_interval(mins => $2) WHERE person_id = $1`,
      [ada.id, minutes],
    );

  test('a session that is used lives until the total limit, and no longer', async () => {
    const browser = await logIn(short, ada);
    await earlier('expires_at', 18);
    expect(await isLoggedIn(browser)).toBe(true);
    await earlier('expires_at', 2);
    expect(await isLoggedIn(browser)).toBe(false);
  });

  test('a session that is not used ends at the idle limit', async () => {
    const browser = await logIn(short, ada);
    await earlier('last_seen_at', 8);
    expect(await isLoggedIn(browser)).toBe(true);
    // That was a use.
    await earlier('last_seen_at', 10);
    expect(await isLoggedIn(browser)).toBe(false);
  });
});

test('expired rows are purged, and metrics count them', async () => {
  const [identity, other] = platform.identities;
  const purged = async (by: TestService | undefined, table: string) =>
    (await metricOf(by, 'identity_purged_rows_total', { table })) ?? 0;
  const tables = ['sessions', 'password_resets', 'sign_ups', 'throttle_counts'];
  // A round of a process that starts looks at once, and one of the other replica may be before it.
  await identity?.stop();
  const before = new Map<string, number>();
  for (const table of tables) before.set(table, await purged(other, table));
  const [{ id = '' } = {}] = await platform.sql<{ id: string }>('SELECT id FROM people LIMIT 1');
  const hash = "decode(md5(n::text), 'hex')";
  const over = "now() - interval '1 second'";
  await platform.sql(`INSERT INTO sessions (id_hash, data, expires_at, client_ip, user_agent)
    SELECT ${hash}, '{}', ${over}, '', '' FROM generate_series(1, 1500) n`);
  await platform.sql(
    `INSERT INTO password_resets SELECT ${hash}, $1, ${over} FROM generate_series(1, 1500) n`,
    [id],
  );
  await platform.sql(`INSERT INTO sign_ups SELECT ${hash}, 'x', ${over} FROM generate_series(1, 1500) n`);
  await platform.sql(
    `INSERT INTO throttle_counts SELECT n::text, now() - interval '25 hours', 1 FROM generate_series(1, 1500) n`,
  );
  await identity?.start();
  await expectEventually(
    async () => {
      for (const table of tables) {
        const sum = (await purged(identity, table)) + (await purged(other, table));
        expect(sum - (before.get(table) ?? 0)).toBeGreaterThanOrEqual(1_500);
        expect(await metricOf(identity, 'identity_table_bytes', { table })).toBeGreaterThan(9);
      }
    },
    { withinMs: 10_000 },
  );
});
