import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { adoptBusiness } from './adopt-business.ts';
import { demoBusiness } from './demo-businesses.ts';
import { type DemoLogin, type DemoLoginContext, ensureDemoLogin } from './demo-login.ts';
import { ensureVerifiedBusiness, findBusinessId, type SeededBusiness } from './verified-business.ts';

export interface DemoOwnerContext extends Omit<DemoLoginContext, 'business'> {
  readonly businessGrpcTarget: string;
  readonly businessDatabase: pg.Client;
}

/** The demo login and the demo business that it owns, verified: the sign-up of the one makes the other. */
export async function ensureDemoOwner(
  kept: DemoLogin | undefined,
  context: DemoOwnerContext,
): Promise<{ readonly login: DemoLogin; readonly business: SeededBusiness }> {
  const { businessGrpcTarget, businessDatabase, identityDatabase } = context;
  const isThere = (await findBusinessId(businessDatabase, demoBusiness.username)) !== undefined;
  // A sign-up always makes a business.
  const business = isThere
    ? { accountHolder: 'Demo Owner', username: `demo-owner-${randomBytes(3).toString('hex')}` }
    : demoBusiness;
  const login = await ensureDemoLogin(kept, { ...context, business });
  const verified = await ensureVerifiedBusiness(businessGrpcTarget, businessDatabase, demoBusiness);
  await adoptBusiness(identityDatabase, login.email, verified.id);
  return { login, business: verified };
}
