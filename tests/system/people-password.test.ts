import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Browser, createBrowser } from '../harness/browser.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import {
  awaitMail,
  awaitMailAbout,
  logIn,
  mailsAbout,
  mailsTo,
  newAddress,
  signUp,
  type TestPerson,
} from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const next = 'a loom that weaves algebra';

const platform = running(sharedPlatform);

const newBrowser = (gateway = 0) => createBrowser(platform.gatewayPorts[gateway] ?? 0);

async function askForLink(email: string, browser: Browser = newBrowser()) {
  await browser.open('/password/forgot');
  return browser.submit('/password/forgot', { email });
}

/** The path of the mailed link. */
async function resetLink({ email }: TestPerson): Promise<string> {
  const subject = 'Set a new password';
  const { length } = mailsAbout(platform.mailDirectory, email, subject);
  expect((await askForLink(email)).status).toBe(200);
  return (await awaitMailAbout(platform.mailDirectory, email, subject, length + 1)).link;
}

/** As if the person's links had been mailed minutes before. */
const mailedBefore = ({ id }: TestPerson, minutes: number) =>
  platform.sql(
    'UPDATE password_resets SET expires_at = expires_at - make_interval(mins => $2) WHERE person_id = $1',
    [id, minutes],
  );

async function reset(path: string, password: string) {
  const browser = newBrowser(1);
  const page = await browser.open(path);
  return page.status === 200 ? browser.submit('/password/reset', { new_password: password }) : page;
}

const canLogIn = (person: TestPerson, password: string) =>
  logIn(platform, { ...person, password }).then(
    () => true,
    () => false,
  );

/** A person with a link for a new password, and a browser that has opened it. */
const openedReset = async () => {
  const ada = await signUp(platform);
  const path = await resetLink(ada);
  const open = newBrowser();
  await open.open(path);
  return { ada, path, open };
};

describe('a forgotten password', () => {
  test('is reset through the mailed link, which ends the old password and all sessions', async () => {
    const ada = await signUp(platform);
    const path = await resetLink(ada);
    expect(path).toMatch(/^\/password\/reset\?token=pr_[0-9A-Za-z]{45}$/);
    const done = await reset(path, next);
    expect([done.status, done.headers.location]).toEqual([303, '/login?after=password-reset']);
    expect([await canLogIn(ada, next), await canLogIn(ada, ada.password)]).toEqual([true, false]);
    await ada.browser.open('/account/sessions');
    expect(ada.browser.page.path).toBe('/login?continue=%2Faccount%2Fsessions');
    const left =
      'SELECT 1 FROM sessions WHERE person_id = $1 AND created_at < (SELECT password_set_at FROM people WHERE id = $1)';
    expect(await platform.sql(left, [ada.id])).toEqual([]);
    const notice = await awaitMail(platform.mailDirectory, ada.email, 3);
    expect(notice.subject).toBe('Your password was reset');
  });

  test('can be reset with another link at once if the first one could not be mailed', async () => {
    const ada = await signUp(platform);
    const { mailDirectory } = platform;
    renameSync(mailDirectory, `${mailDirectory}.away`);
    try {
      writeFileSync(mailDirectory, 'in the way of a directory');
      await askForLink(ada.email);
      const pauses = `SELECT expires_at > now() + interval '29 minutes 30 seconds' AS pauses
        FROM password_resets WHERE person_id = $1`;
      await expectEventually(
        async () => expect(await platform.sql(pauses, [ada.id])).toEqual([{ pauses: false }]),
        { withinMs: 5_000 },
      );
    } finally {
      rmSync(mailDirectory, { force: true });
      renameSync(`${mailDirectory}.away`, mailDirectory);
    }
    expect((await reset(await resetLink(ada), next)).status).toBe(303);
  });

  test('has audit events, for the request and the reset', async () => {
    const ada = await signUp(platform);
    await reset(await resetLink(ada), next);
    const rows = await platform.sql(
      'SELECT action, actor_kind, business_id::int FROM audit_events WHERE subject_id = $1 ORDER BY id',
      [ada.id],
    );
    const business_id = ada.businessId;
    expect(rows).toEqual([
      { action: 'person.signed_up', actor_kind: 'person', business_id },
      { action: 'person.password_reset_requested', actor_kind: 'system', business_id },
      { action: 'person.password_reset', actor_kind: 'person', business_id },
    ]);
  });

  test('is reset once per link, and never by an older one', async () => {
    const ada = await signUp(platform);
    const older = await resetLink(ada);
    await mailedBefore(ada, 2);
    const newer = await resetLink(ada);
    expect((await reset(newer, next)).status).toBe(303);
    for (const path of [newer, older]) {
      const again = await reset(path, 'another loom, another algebra');
      expect([again.status, again.text]).toEqual([400, expect.stringContaining('no longer valid')]);
    }
    expect(await canLogIn(ada, next)).toBe(true);
  });

  test('is reset only once when the link is used many times at the same time', async () => {
    const ada = await signUp(platform);
    const path = await resetLink(ada);
    const browser = newBrowser();
    await browser.open(path);
    const passwords = Array.from({ length: 8 }, (_, n) => `${next} number ${n}`);
    const responses = await Promise.all(
      passwords.map((password) => browser.submit('/password/reset', { new_password: password })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([303, ...Array(7).fill(400)]);
  });

  test('is not reset after half an hour', async () => {
    const { ada, path, open } = await openedReset();
    await platform.sql(
      "UPDATE password_resets SET expires_at = now() - interval '1 ms' WHERE person_id = $1",
      [ada.id],
    );
    expect((await newBrowser().open(path)).status).toBe(400);
    expect((await open.submit('/password/reset', { new_password: next })).status).toBe(400);
    expect(await canLogIn(ada, ada.password)).toBe(true);
  });

  test.each(['', 'pr_', `pr_${'a'.repeat(39)}`, '%00', "' OR 1=1 --"])(
    'is not reset by %j',
    async (token) => {
      const response = await reset(`/password/reset?token=${encodeURIComponent(token)}`, next);
      expect(response.status).toBe(400);
    },
  );

  test('is not replaced by one that breaks the rules, and the link stays valid after the refusal', async () => {
    const ada = await signUp(platform);
    const path = await resetLink(ada);
    for (const weak of ['short', 'passwordpassword', ada.email, 'x'.repeat(201)]) {
      const refused = await reset(path, weak);
      expect([refused.status, refused.text]).toEqual([
        400,
        expect.stringContaining('id="new_password-error"'),
      ]);
    }
    expect((await reset(path, next)).status).toBe(303);
  });
});

describe('a request for a password reset', () => {
  /** Not the purge, which waits for the table as well. */
  const newLink = '%INSERT INTO password_resets%';

  test('gets its response before any work that depends on whether the account exists', async () => {
    const ada = await signUp(platform);
    const browser = newBrowser();
    await browser.open('/password/forgot');
    const held = await holdTable(platform.databases.identity, 'password_resets');
    try {
      const { status } = await browser.submit('/password/forgot', { email: ada.email });
      expect(status).toBe(200);
      await expectEventually(async () => expect(await held.waiting(newLink)).toBe(1), { withinMs: 5_000 });
    } finally {
      await held.release();
    }
    await awaitMail(platform.mailDirectory, ada.email, 2);
  });

  test('sends the email even if the database takes longer than the statement timeout', async () => {
    const ada = await signUp(platform);
    const browser = newBrowser();
    await browser.open('/password/forgot');
    const held = await holdTable(platform.databases.identity, 'password_resets');
    const waiting = (count: number) =>
      expectEventually(async () => expect(await held.waiting(newLink)).toBe(count), { withinMs: 5_000 });
    try {
      await browser.submit('/password/forgot', { email: ada.email });
      await waiting(1);
      await waiting(0);
    } finally {
      await held.release();
    }
    await awaitMail(platform.mailDirectory, ada.email, 2);
  });

  test('gets the same page for an address without an account, and sends no email', async () => {
    const ada = await signUp(platform);
    const browser = newBrowser();
    const known = await askForLink(ada.email, browser);
    const stranger = newAddress('stranger');
    const unknown = await askForLink(stranger, browser);
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    await awaitMail(platform.mailDirectory, ada.email, 2);
    expect(mailsTo(platform.mailDirectory, stranger)).toEqual([]);
  });
});

describe('a mail server that accepts connections and does not respond', () => {
  let silent: Server;
  const sockets = new Set<Socket>();
  /** Connections on which the sender has given up. */
  let closed = 0;
  let stuck: Platform;
  beforeAll(async () => {
    silent = createServer((socket) => {
      sockets.add(socket);
      // Read, so that an end is seen.
      socket
        .on('error', () => undefined)
        .on('close', () => closed++)
        .resume();
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    stuck = await startPlatform({ identityEnv: { SMTP_URL: `smtp://127.0.0.1:${port}` } });
  });
  afterAll(async () => {
    await stuck.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test('delays no response', async () => {
    const browser = createBrowser(stuck.gatewayPorts[0] ?? 0);
    await browser.open('/signup');
    const { status } = await browser.submit('/signup', { email: newAddress('ada') });
    // A response that waits for the email comes after it was given up.
    expect([status, closed]).toEqual([200, 0]);
    await expectEventually(() => expect(sockets.size).toBe(1), { withinMs: 2_000 });
  });
});

describe('a change of the password', () => {
  const change = async (person: TestPerson, password: string, newPassword: string) => {
    await person.browser.open('/account/password');
    return person.browser.submit('/account/password', { password, new_password: newPassword });
  };

  test('takes effect with the old password, and an email reports it', async () => {
    const ada = await signUp(platform);
    expect((await change(ada, ada.password, next)).headers.location).toBe('/account/password?after=changed');
    expect([await canLogIn(ada, next), await canLogIn(ada, ada.password)]).toEqual([true, false]);
    expect((await awaitMail(platform.mailDirectory, ada.email, 2)).subject).toBe('Your password was changed');
  });

  test('invalidates every link that was mailed before it', async () => {
    const { ada, path, open } = await openedReset();
    await platform.sql(
      "INSERT INTO sign_ups (token_hash, email, expires_at) VALUES (sha256($1::bytea), $1, now() + interval '1 hour')",
      [ada.email],
    );
    expect((await change(ada, ada.password, next)).status).toBe(303);
    expect((await newBrowser(1).open(path)).status).toBe(400);
    expect((await open.submit('/password/reset', { new_password: ada.password })).status).toBe(400);
    const left = 'SELECT 1 FROM sign_ups WHERE email = $1';
    expect(await platform.sql(left, [ada.email])).toEqual([]);
    expect(await canLogIn(ada, next)).toBe(true);
    // A link that is asked for afterwards works.
    expect((await reset(await resetLink(ada), `${next} again`)).status).toBe(303);
  });

  test('is refused with a wrong old password, and with a weak or unchanged new one', async () => {
    const ada = await signUp(platform);
    const responses = [
      await change(ada, 'not my password at all', next),
      await change(ada, ada.password, 'short'),
      await change(ada, ada.password, ada.password),
    ];
    expect(responses.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(responses[0]?.text).toContain('id="password-error"');
    expect(responses[1]?.text).toContain('id="new_password-error"');
    for (const { text } of responses) expect(text).not.toContain(ada.password);
    expect(await canLogIn(ada, ada.password)).toBe(true);
  });

  test('succeeds only once when it is submitted twice at the same time', async () => {
    const ada = await signUp(platform);
    await ada.browser.open('/account/password');
    const passwords = [`${next} one`, `${next} two`];
    const responses = await Promise.all(
      passwords.map((password) =>
        ada.browser.submit('/account/password', { password: ada.password, new_password: password }),
      ),
    );
    const changed = responses.filter(({ headers }) => headers.location === '/account/password?after=changed');
    expect(changed).toHaveLength(1);
  });

  test('accepts 200 characters and compares all of them', async () => {
    const ada = await signUp(platform);
    const long = `${'ä quite long passphrase '.repeat(10).slice(0, 199)}x`;
    expect((await change(ada, ada.password, long)).status).toBe(303);
    expect([await canLogIn(ada, long), await canLogIn(ada, `${long.slice(0, -1)}y`)]).toEqual([true, false]);
  });
});
