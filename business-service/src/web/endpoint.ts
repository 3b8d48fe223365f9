import type { Scope } from '@platform/protos/vocabulary';
import type { Request, RequestHandler } from 'express';
import type { BusinessStore } from '../businesses/store.ts';
import type { Passport } from '../passport.ts';
import { callerOf } from './context.ts';
import { type Answer, errorAnswer, sendAnswer } from './response.ts';

export interface AdmitDeps {
  readonly businesses: BusinessStore;
}

/** What an operation asks of its caller. */
interface Demand {
  readonly scope: Scope;
  /** Whether a banned business may still do it. */
  readonly evenBanned?: boolean;
}

type Admission =
  | { readonly kind: 'admitted'; readonly passport: Passport }
  | { readonly kind: 'refused'; readonly answer: Answer };

/** Lets a caller in: a valid passport, with the scope, of a business that is not banned. */
async function admit(deps: AdmitDeps, demand: Demand, req: Request): Promise<Admission> {
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

/** An operation for an admitted caller. What it throws is answered by `renderError`. */
export type Endpoint = (passport: Passport, req: Request) => Promise<Answer>;

/** Express's handler for an operation: admit, do, answer. */
export function endpoint(deps: AdmitDeps, demand: Demand, run: Endpoint): RequestHandler {
  return async (req, res) => {
    const admission = await admit(deps, demand, req);
    if (admission.kind === 'refused') return sendAnswer(res, admission.answer);
    sendAnswer(res, await run(admission.passport, req));
  };
}

/** Answer to every other method of a path. */
export function allowOnly(methods: string): RequestHandler {
  return (_req, res) => {
    sendAnswer(res, errorAnswer(405, 'Method not allowed', { Allow: methods }));
  };
}
