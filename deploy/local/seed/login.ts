import { randomBytes } from 'node:crypto';
import { adoptBusiness, demoBusiness, ensureVerifiedBusiness, findBusinessId } from './businesses.ts';
import type { DemoBusiness, DemoLogin, SeedContext } from './context.ts';
import { mailedPath, openBrowser } from './pages.ts';

const email = 'demo@example.com';

/** The demo login and the demo business that it owns, verified: signing up makes both. */
export async function ensureDemoOwner(
  context: SeedContext,
): Promise<{ readonly login: DemoLogin; readonly business: DemoBusiness }> {
  const { businessDatabase, identityDatabase } = context;
  const isThere = (await findBusinessId(businessDatabase, demoBusiness.username)) !== undefined;
  // A sign-up always makes a business.
  const own = isThere
    ? { accountHolder: 'Demo Owner', username: `demo-owner-${randomBytes(3).toString('hex')}` }
    : demoBusiness;
  const login = await ensureDemoLogin(context, own);
  const business = await ensureVerifiedBusiness(context, demoBusiness);
  await adoptBusiness(identityDatabase, login.email, business.id);
  return { login, business };
}

interface OwnBusiness {
  readonly accountHolder: string;
  readonly username: string;
}

/**
 * Signs up through the pages and the link that is mailed, as everyone does. A login that demo.json has lost gets a new
 * password in the same way.
 */
async function ensureDemoLogin(context: SeedContext, business: OwnBusiness): Promise<DemoLogin> {
  const { identityDatabase, kept, keep } = context;
  const found = await identityDatabase.query('SELECT 1 FROM people WHERE email = $1', [email]);
  const exists = found.rows.length > 0;
  if (exists && kept.login !== undefined) return kept.login;
  const login = kept.login ?? { email, password: newPassword() };
  if (exists) {
    await resetPassword(login, context);
    keep({ login });
  } else {
    // Written before it counts, so that no interruption loses it.
    keep({ login });
    await signUp(login, business, context);
  }
  return login;
}

async function signUp(
  { password }: DemoLogin,
  { accountHolder, username }: OwnBusiness,
  { baseUrl, mailDirectory }: SeedContext,
): Promise<void> {
  const browser = openBrowser(baseUrl);
  const path = await mailedPath(mailDirectory, '/signup/confirm?token=', () =>
    browser.submit('/signup', '/signup', { email }, 200),
  );
  const fields = { name: 'Demo Owner', password, business_name: accountHolder, username };
  await browser.submit(path, '/signup/confirm', fields, 303);
  await browser.submit('/account', '/logout', {}, 303);
}

async function resetPassword(
  { password }: DemoLogin,
  { baseUrl, mailDirectory }: SeedContext,
): Promise<void> {
  const browser = openBrowser(baseUrl);
  const path = await mailedPath(mailDirectory, '/password/reset?token=', () =>
    browser.submit('/password/forgot', '/password/forgot', { email }, 200),
  );
  await browser.submit(path, '/password/reset', { new_password: password }, 303);
}

/** 80 random bits, easy to copy by hand. */
function newPassword(): string {
  const hex = randomBytes(10).toString('hex');
  return hex.replace(/.{5}(?=.)/g, '$&-');
}
