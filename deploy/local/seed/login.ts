import { randomBytes } from 'node:crypto';
import { createPasswordHasher } from '../../../identity-service/src/people/password.ts';
import { adoptBusiness, demoBusiness, ensureVerifiedBusiness, findBusinessId } from './businesses.ts';
import type { DemoBusiness, DemoLogin, SeedContext } from './context.ts';
import { mailedPath, openBrowser } from './pages.ts';
import { backdateSignUp } from './past.ts';

const firstEmail = 'demo@example.com';

/** The demo login and the demo business that it owns, verified: signing up makes both. */
export async function ensureDemoOwner(
  context: SeedContext,
): Promise<{ readonly login: DemoLogin; readonly business: DemoBusiness }> {
  const { businessDatabase, identityDatabase } = context;
  const businessId = await findBusinessId(businessDatabase, demoBusiness.username);
  const login = await ensureDemoLogin(context, businessId);
  const business = await ensureVerifiedBusiness(context, demoBusiness);
  await adoptBusiness(identityDatabase, login.email, business.id);
  return { login, business };
}

/**
 * Signs up through the pages and the link that is mailed, as everyone does. A login that demo.json has lost gets a new
 * password in the same way.
 */
async function ensureDemoLogin(context: SeedContext, businessId: number | undefined): Promise<DemoLogin> {
  const { kept, keep } = context;
  const person = await findDemoPerson(context, businessId);
  if (person !== undefined && kept.login !== undefined) return currentLogin(kept.login, person);
  const { email = firstEmail, password = newPassword() } = { ...kept.login, ...person };
  const login = { email, password };
  if (person !== undefined) {
    await resetPassword(login, context);
    keep({ login });
  } else {
    // Written before it takes effect, so that an interruption cannot lose it.
    keep({ login });
    await signUp(login, businessId === undefined, context);
  }
  return login;
}

interface DemoPerson {
  readonly email: string;
  readonly passwordHash: string;
}

/** The owner of the demo business, whose address may have changed; otherwise the person with the address of the demo login. */
async function findDemoPerson(
  { identityDatabase, kept }: SeedContext,
  businessId: number | undefined,
): Promise<DemoPerson | undefined> {
  const found = await identityDatabase.query<DemoPerson>(
    `SELECT p.email, p.password_hash AS "passwordHash" FROM people p
       LEFT JOIN memberships m ON m.person_id = p.id AND m.business_id = $1 AND m.role = 'owner'
       WHERE m.person_id IS NOT NULL OR p.email = $2
       ORDER BY m.person_id IS NULL, p.email <> $2, m.created_at LIMIT 1`,
    [businessId, kept.login?.email ?? firstEmail],
  );
  return found.rows[0];
}

/** The login in its current state: with the current address, and without a password if it was changed. */
async function currentLogin(
  { password }: DemoLogin,
  { email, passwordHash }: DemoPerson,
): Promise<DemoLogin> {
  const works = password !== undefined && (await createPasswordHasher().matches(password, passwordHash));
  return works ? { email, password } : { email };
}

type WholeLogin = DemoLogin & { readonly password: string };

/** @param isFirst whether the demo business is still to be made; a sign-up always makes one */
async function signUp(
  { email, password }: WholeLogin,
  isFirst: boolean,
  { gatewayUrl, mailDirectory, identityDatabase }: SeedContext,
): Promise<void> {
  const { accountHolder, username } = isFirst
    ? demoBusiness
    : { accountHolder: 'Demo Owner', username: `demo-owner-${randomBytes(3).toString('hex')}` };
  const browser = openBrowser(gatewayUrl);
  const path = await mailedPath(mailDirectory, '/signup/confirm?token=', () =>
    browser.submit('/signup', '/signup', { email }, 200),
  );
  const fields = { name: 'Demo Owner', password, business_name: accountHolder, username };
  await browser.submit(path, '/signup/confirm', fields, 303);
  await browser.submit('/account/sessions', '/logout', {}, 303);
  if (isFirst) await backdateSignUp(identityDatabase, email);
}

async function resetPassword(
  { email, password }: WholeLogin,
  { gatewayUrl, mailDirectory }: SeedContext,
): Promise<void> {
  const browser = openBrowser(gatewayUrl);
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
