import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Browser, createBrowser } from '../harness/browser.ts';
import {
  awaitMail,
  awaitMailAbout,
  mailsAbout,
  mailsTo,
  signUp,
  type TestPerson,
} from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { running } from '../harness/running.ts';
import { throttleWindows } from '../harness/throttle-windows.ts';

const platform = running(() =>
  startPlatform({
    gateways: 2,
    identities: 2,
    gatewayEnv: { TRUSTED_PROXIES: '127.0.0.1' },
    identityEnv: { THROTTLE_SCALE: '1' },
  }),
);
let ada: TestPerson;
beforeAll(async () => {
  ada = await signUp(platform);
});

/** A browser at an address of its own. */
function browserAt(address: string, gateway = 0) {
  return createBrowser(platform.gatewayPorts[gateway] ?? 0, { headers: { 'X-Forwarded-For': address } });
}

/** The cookie by which a browser is known; its name has the platform's port. */
function deviceOf({ cookies }: Browser): [name: string, value: string] {
  const device = [...cookies].find(([name]) => name.startsWith('device-'));
  if (device === undefined) throw new Error('The browser has no cookie of a device.');
  return device;
}

const { pass: windowsPass, inOne: inOneWindow } = throttleWindows(() => platform);

async function tryLogIn(address: string, email: string, password = 'not my password at all', gateway = 0) {
  const browser = browserAt(address, gateway);
  await browser.open('/login');
  return browser.submit('/login', { email, password });
}

test(
  'password guesses for one account from one address lead to 429, counted over all replicas',
  inOneWindow(async () => {
    const statuses = [];
    for (let n = 0; n < 12; n++) {
      statuses.push((await tryLogIn('192.0.2.1', ada.email, undefined, n % 2)).status);
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429]);
    const refused = await tryLogIn('192.0.2.1', ada.email, ada.password);
    expect([refused.status, refused.text]).toEqual([
      429,
      expect.stringMatching(/Too many attempts.*wait \d+/s),
    ]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(900);
  }),
);

test(
  'during guesses from one address its victim can log in from another, and other people from that one',
  inOneWindow(async () => {
    await windowsPass();
    for (let n = 0; n < 40; n++) await tryLogIn('192.0.2.2', ada.email);
    expect((await tryLogIn('192.0.2.3', ada.email, ada.password)).headers.location).toBe('/dashboard');
    const grace = await signUp(platform);
    expect((await tryLogIn('192.0.2.2', grace.email, grace.password)).headers.location).toBe('/dashboard');
  }),
);

test(
  'wrong passwords from sixty addresses do not lock the owner out, and the owner gets an email',
  inOneWindow(async () => {
    await windowsPass();
    const mails = mailsTo(platform.mailDirectory, ada.email).length;
    const guesses = Array.from({ length: 60 }, (_, n) =>
      tryLogIn(`198.51.100.${n}`, ada.email, undefined, n % 2),
    );
    expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([400]));
    expect((await tryLogIn('203.0.113.1', ada.email, ada.password)).headers.location).toBe('/dashboard');
    const { subject, text } = await awaitMail(platform.mailDirectory, ada.email, mails + 1);
    expect(subject).toBe('Many wrong passwords for your account');
    expect(text).toMatch(/the last one from 198\.51\.100\.\d+\..*\/password\/forgot/s);
    await tryLogIn('198.51.100.61', ada.email);
    // What is sent next is no second one.
    const visitor = browserAt('203.0.113.9');
    await visitor.open('/signup');
    await visitor.submit('/signup', { email: ada.email });
    const later = await awaitMail(platform.mailDirectory, ada.email, mails + 2);
    expect(later.subject).toBe('You already have an account');
  }),
);

describe('after too many guesses for one account from all addresses', () => {
  /** As if 200 had come from others. */
  const exhaust = async () => {
    await windowsPass();
    expect((await tryLogIn('198.51.100.1', ada.email)).status).toBe(400);
    const fill = "UPDATE throttle_counts SET count = 200 WHERE key LIKE 'login:account:%' AND count = 1";
    await platform.sql(fill);
  };

  test(
    'an unknown browser gets 429 and a link to reset the password',
    inOneWindow(async () => {
      await exhaust();
      const refused = await tryLogIn('203.0.113.2', ada.email, ada.password);
      expect([refused.status, refused.text]).toEqual([
        429,
        expect.stringContaining('href="/password/forgot"'),
      ]);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3_600);
    }),
  );

  test(
    'a browser that logged in before can log in, regardless of others at its address',
    inOneWindow(async () => {
      await exhaust();
      const { browser } = ada;
      await browser.open('/account/sessions');
      await browser.submit('/logout');
      const again = createBrowser(platform.gatewayPorts[1] ?? 0, {
        headers: { 'X-Forwarded-For': '192.0.2.5' },
      });
      again.cookies.set(...deviceOf(browser));
      for (let n = 0; n < 11; n++) await tryLogIn('192.0.2.5', ada.email);
      await again.open('/login');
      const fields = { email: ada.email, password: ada.password };
      expect((await again.submit('/login', fields)).headers.location).toBe('/dashboard');
      // Its own limit holds for it.
      await again.open('/account/sessions');
      await again.submit('/logout');
      await again.open('/login');
      const wrong = { email: ada.email, password: 'not my password at all' };
      const statuses = [];
      for (let n = 0; n < 10; n++) statuses.push((await again.submit('/login', wrong)).status);
      expect(statuses).toEqual([...Array(9).fill(400), 429]);
    }),
  );

  test.each([
    ['of another account', (device: string) => device, 'grace'],
    ['with a wrong signature', (device: string) => `${device.slice(0, -4)}AAAA`, 'ada'],
    ['that is malformed', () => '....', 'ada'],
  ])('a device cookie %s does not make a browser known', (_, change, whose) =>
    inOneWindow(async () => {
      await exhaust();
      const person = whose === 'ada' ? ada : await signUp(platform);
      const browser = browserAt('203.0.113.3');
      const [name, device] = deviceOf(person.browser);
      browser.cookies.set(name, change(device));
      await browser.open('/login');
      const { status } = await browser.submit('/login', { email: ada.email, password: ada.password });
      expect(status).toBe(429);
    })(),
  );

  test(
    'an owner who resets the password by email can log in, but browsers with the old one cannot',
    inOneWindow(async () => {
      await exhaust();
      const browser = browserAt('203.0.113.4');
      await browser.open('/password/forgot');
      const subject = 'Set a new password';
      const { length } = mailsAbout(platform.mailDirectory, ada.email, subject);
      await browser.submit('/password/forgot', { email: ada.email });
      await browser.open((await awaitMailAbout(platform.mailDirectory, ada.email, subject, length + 1)).link);
      const password = 'a loom that weaves algebra';
      await browser.submitAndFollow('/password/reset', { new_password: password });
      const known = await browser.submit('/login', { email: ada.email, password });
      expect(known.headers.location).toBe('/dashboard');
      // Browsers that knew the old password only are unknown again.
      const old = browserAt('203.0.113.5');
      old.cookies.set(...deviceOf(ada.browser));
      await old.open('/login');
      expect((await old.submit('/login', { email: ada.email, password })).status).toBe(429);
      ada = { ...ada, password, browser };
    }),
  );
});

test(
  'an account that does not exist is throttled in the same way',
  inOneWindow(async () => {
    await windowsPass();
    const statuses = [];
    for (let n = 0; n < 11; n++) statuses.push((await tryLogIn('192.0.2.4', 'unknown@people.test')).status);
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
  }),
);

test(
  'password guesses for many accounts from one address or IPv6 network lead to 429',
  inOneWindow(async () => {
    await windowsPass();
    expect((await tryLogIn('2001:db8::1', 'unknown-1@people.test')).status).toBe(400);
    // As if it had tried 98 more accounts.
    const fill = "UPDATE throttle_counts SET count = 99 WHERE key LIKE 'login:address:%' AND count = 1";
    await platform.sql(fill);
    expect((await tryLogIn('2001:db8::2', 'unknown-2@people.test')).status).toBe(400);
    expect((await tryLogIn('2001:db8::ffff:1', 'unknown-3@people.test')).status).toBe(429);
    expect((await tryLogIn('2001:db8:0:1::1', 'unknown-3@people.test')).status).toBe(400);
  }),
);

test(
  'sign-ups with one email address lead to 429, so that they do not flood its mailbox',
  inOneWindow(async () => {
    const statuses = [];
    for (let n = 0; n < 4; n++) {
      const browser = browserAt(`198.51.100.${n}`);
      await browser.open('/signup');
      statuses.push((await browser.submit('/signup', { email: 'victim@people.test' })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  }),
);

describe('the email with a link to reset the password', () => {
  let grace: TestPerson;
  beforeEach(async () => {
    grace = await signUp(platform);
  });

  const askForLink = async (address: string) => {
    const browser = browserAt(address);
    await browser.open('/password/forgot');
    return browser.submit('/password/forgot', { email: grace.email });
  };
  const links = () => platform.sql('SELECT 1 FROM password_resets WHERE person_id = $1', [grace.id]);
  /** As if the links had been mailed before; `minutes` at most 29, so that they still work. */
  const mailedBefore = (minutes: number) =>
    platform.sql(
      'UPDATE password_resets SET expires_at = expires_at - make_interval(mins => $2) WHERE person_id = $1',
      [grace.id, minutes],
    );

  test('is sent only once for many requests at the same time, which all get 200', async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, (_, n) => askForLink(`198.51.100.${n}`)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const mail = await awaitMail(platform.mailDirectory, grace.email, 2);
    expect(await links()).toHaveLength(1);
    expect((await browserAt('203.0.113.6').open(mail.link)).text).toContain('Set password');
  });

  test('is sent again a minute later, regardless of requests from other addresses', async () => {
    await askForLink('203.0.113.6');
    await awaitMail(platform.mailDirectory, grace.email, 2);
    await mailedBefore(2);
    expect((await askForLink('203.0.113.7')).status).toBe(200);
    await awaitMail(platform.mailDirectory, grace.email, 3);
  });

  test(
    'is sent less often for a client address with very many requests, but never refused',
    inOneWindow(async () => {
      // Anew: what is run once more begins without links.
      grace = await signUp(platform);
      const fill = "UPDATE throttle_counts SET count = 20 WHERE key LIKE 'reset:address:%'";
      await askForLink('203.0.113.8');
      await awaitMail(platform.mailDirectory, grace.email, 2);
      await platform.sql(fill);
      await mailedBefore(2);
      expect((await askForLink('203.0.113.8')).status).toBe(200);
      await mailedBefore(10);
      expect((await askForLink('203.0.113.8')).status).toBe(200);
      await awaitMail(platform.mailDirectory, grace.email, 3);
      expect(await links()).toHaveLength(2);
    }),
  );
});

test(
  'password guesses in an open session lead to 429',
  inOneWindow(async () => {
    await windowsPass();
    const { browser } = ada;
    await browser.open('/account/password');
    const fields = { password: 'not my password at all', new_password: 'a loom that weaves algebra' };
    const statuses = [];
    for (let n = 0; n < 11; n++) statuses.push((await browser.submit('/account/password', fields)).status);
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
    await browser.open('/account/second-factor');
    const off = await browser.submit('/account/second-factor/begin', { password: ada.password });
    expect(off.status).toBe(429);
  }),
);

test(
  'codes entered to turn on a second factor do not count toward the limit of logins',
  inOneWindow(async () => {
    await windowsPass();
    const { browser } = ada;
    const ofLogins = () =>
      platform.sql("SELECT * FROM throttle_counts WHERE key LIKE 'second-factor:account:%'");
    const before = await ofLogins();
    await browser.open('/account/second-factor');
    await browser.submitAndFollow('/account/second-factor/begin', { password: ada.password });
    const statuses = [];
    for (let n = 0; n < 11; n++) {
      statuses.push((await browser.submit('/account/second-factor/confirm', { code: 'x' })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
    expect(await ofLogins()).toEqual(before);
  }),
);

test(
  'fifty attempts at once count as fifty',
  inOneWindow(async () => {
    await windowsPass();
    const browser = browserAt('192.0.2.9');
    await browser.open('/login');
    const attempt = { email: 'unknown@people.test', password: 'x' };
    const responses = await Promise.all(Array.from({ length: 50 }, () => browser.submit('/login', attempt)));
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(10);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(40);
  }),
);

test('the table of attempts contains no address and no account in plain text', async () => {
  const rows = await platform.sql<{ key: string }>('SELECT key FROM throttle_counts');
  expect(rows.length).toBeGreaterThan(0);
  for (const { key } of rows) expect(key).toMatch(/^[a-z-]+:[a-z+]+:[\w-]{43}$/);
});
