import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Answer } from '../http/send.ts';
import { openBrowser } from './browser.ts';
import { mailedPath } from './mailed-path.ts';

/** What somebody logs in with. */
export interface DemoLogin {
  readonly email: string;
  readonly password: string;
}

export interface DemoLoginContext {
  readonly baseUrl: string;
  readonly mailDirectory: string;
  readonly identityDatabase: pg.Client;
  /** What the login signs up with. */
  readonly business: { readonly accountHolder: string; readonly username: string };
  /** Keeps the login: its password can be read nowhere else. */
  readonly keep: (login: DemoLogin) => void;
}

const email = 'demo@example.com';

/**
 * The demo login, made as everybody's is: through the sign-up pages and the link that is mailed. One that was not written
 * down gets a new password, in the same way. A person who is there keeps the password that is on file.
 */
export async function ensureDemoLogin(
  kept: DemoLogin | undefined,
  context: DemoLoginContext,
): Promise<DemoLogin> {
  const exists = await hasAccount(context.identityDatabase);
  if (exists && kept !== undefined) return kept;
  const login = kept ?? { email, password: newPassword() };
  // Written down before it counts, so that no interruption loses it.
  if (!exists) {
    context.keep(login);
    await signUp(login, context);
  } else {
    await resetPassword(login, context);
    context.keep(login);
  }
  return login;
}

async function hasAccount(database: pg.Client): Promise<boolean> {
  const found = await database.query('SELECT 1 FROM people WHERE email = $1', [email]);
  return found.rows.length > 0;
}

async function signUp({ password }: DemoLogin, context: DemoLoginContext): Promise<void> {
  const { baseUrl, mailDirectory, business } = context;
  const browser = openBrowser(baseUrl);
  const path = await mailedPath(mailDirectory, '/signup/confirm?token=', async () =>
    expectStatus(await browser.submit('/signup', '/signup', { email }), 200),
  );
  const { accountHolder, username } = business;
  const fields = { name: 'Demo Owner', password, business_name: accountHolder, username };
  expectStatus(await browser.submit(path, '/signup/confirm', fields), 303);
  expectStatus(await browser.submit('/account', '/logout'), 303);
}

async function resetPassword(
  { password }: DemoLogin,
  { baseUrl, mailDirectory }: DemoLoginContext,
): Promise<void> {
  const browser = openBrowser(baseUrl);
  const path = await mailedPath(mailDirectory, '/password/reset?token=', async () =>
    expectStatus(await browser.submit('/password/forgot', '/password/forgot', { email }), 200),
  );
  expectStatus(await browser.submit(path, '/password/reset', { new_password: password }), 303);
}

function expectStatus({ status, text }: Answer, expected: number): void {
  if (status === expected) return;
  const fault = /class="error"[^>]*>([^<]*)/.exec(text)?.[1] ?? '';
  throw new Error(`a form was answered with ${status} instead of ${expected}: ${fault}`);
}

/** 80 random bits, easy to copy by hand. */
function newPassword(): string {
  return randomBytes(10)
    .toString('hex')
    .replace(/.{5}(?=.)/g, '$&-');
}
