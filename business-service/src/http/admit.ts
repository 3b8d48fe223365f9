import type { Request } from 'express';
import type { BusinessStore } from '../businesses/business-store.ts';
import type { Passport } from '../passport/passport.ts';
import { type Answer, errorAnswer } from './answer.ts';
import { callerOf } from './caller.ts';

export interface AdmitDeps {
  readonly businesses: BusinessStore;
}

/** What an operation asks of its caller. */
export interface Demand {
  readonly scope: 'business:read' | 'orders:read' | 'orders:write';
  /** Whether a banned business may still do it. */
  readonly evenBanned?: boolean;
}

export type Admission =
  | { readonly kind: 'admitted'; readonly passport: Passport }
  | { readonly kind: 'refused'; readonly answer: Answer };

/** Lets a caller in: a valid passport, with the scope, of a business that is not banned. */
export async function admit(deps: AdmitDeps, demand: Demand, req: Request): Promise<Admission> {
  const passport = callerOf(req);
  if (passport === undefined) return refused(invalidPassport);
  if (!passport.scopes.has(demand.scope)) return refused(insufficientScope(demand.scope));
  if (demand.evenBanned !== true && !(await isInGoodStanding(deps, passport))) {
    return refused(errorAnswer(403));
  }
  return { kind: 'admitted', passport };
}

async function isInGoodStanding({ businesses }: AdmitDeps, { businessId }: Passport): Promise<boolean> {
  const profile = await businesses.profile(businessId);
  return profile !== undefined && !profile.isBanned;
}

const invalidPassport = errorAnswer(401, 'Invalid passport', {
  'WWW-Authenticate': 'Bearer error="invalid_token"',
});

function insufficientScope(scope: string): Answer {
  return errorAnswer(403, undefined, {
    'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
  });
}

function refused(answer: Answer): Admission {
  return { kind: 'refused', answer };
}
