import { addressBlock } from '@platform/service-kit/address-block.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { FindBusiness } from '../../applications/business-profile.ts';
import { type BeginSignUpDeps, beginSignUp } from '../../people/begin-sign-up.ts';
import { type CompleteSignUpDeps, completeSignUp } from '../../people/complete-sign-up.ts';
import { emailFault, toEmail } from '../../people/text-rules.ts';
import { findInvitation } from '../../team/find-invitation.ts';
import type { HeldInvitation } from '../../team/team.ts';
import { rules } from '../../throttle/rules.ts';
import type { Throttle } from '../../throttle/throttle.ts';
import { type Answer, handle } from '../answer.ts';
import { continuePath, withContinue } from '../continue-path.ts';
import { fieldsOf } from '../read-form.ts';
import { queryParameter } from '../read-query.ts';
import { exactRouter } from '../router.ts';
import type { Sessions } from '../session.ts';
import { throttled } from '../throttle-page.ts';
import { beginSession } from './begin-session.ts';
import { invitationToken } from './invitation-hint.ts';
import {
  confirmSignUpPage,
  type JoinedBusiness,
  linkSentPage,
  signUpLinkOverPage,
  signUpPage,
} from './sign-up-page.ts';

export interface SignUpRoutesDeps extends BeginSignUpDeps, CompleteSignUpDeps {
  readonly sessions: Sessions;
  readonly throttle: Throttle;
  readonly findBusiness: FindBusiness;
}

const addressForm = z.strictObject({ email: z.string(), continue: z.string().optional() });
const confirmForm = z.strictObject({
  token: z.string(),
  name: z.string(),
  password: z.string(),
  // Not there for those who join a business that has invited them.
  business_name: z.string().optional(),
  username: z.string().optional(),
  continue: z.string().optional(),
});

/** Sign-up: the mail address, and behind the mailed link everything else. */
export function signUpRoutes(deps: SignUpRoutesDeps): Router {
  const router = exactRouter();
  router.get(
    '/signup',
    handle((req, res) => {
      const continueTo = continuePath(queryParameter(req, 'continue'));
      return { page: signUpPage({ session: res.locals.session, continueTo }) };
    }),
  );
  router.post(
    '/signup',
    handle((_req, res) => postAddress(deps, res)),
  );
  router.get(
    '/signup/confirm',
    handle((req, res) => showConfirm(deps, req, res)),
  );
  router.post(
    '/signup/confirm',
    handle((req, res) => postConfirm(deps, req, res)),
  );
  return router;
}

async function postAddress(deps: SignUpRoutesDeps, res: Response): Promise<Answer> {
  const { email: typed, continue: wish } = fieldsOf(addressForm, res.locals.form);
  const { session, caller } = res.locals;
  const continueTo = continuePath(wish);
  const email = toEmail(typed);
  const fault = emailFault(email);
  if (fault !== undefined) {
    const page = signUpPage({ session, continueTo, email: typed, faults: { email: fault } });
    return { status: 400, page };
  }
  const refusal = await throttled(deps.throttle, [
    [rules.signUpAddress, addressBlock(caller.clientIp)],
    [rules.signUpAccount, email],
  ]);
  if (refusal !== undefined) return refusal;
  beginSignUp(deps, email, (path) => withContinue(path, continueTo));
  return { page: linkSentPage(continueTo) };
}

async function showConfirm(deps: SignUpRoutesDeps, req: Request, res: Response): Promise<Answer> {
  const token = queryParameter(req, 'token') ?? '';
  const refusal = await throttled(deps.throttle, [
    [rules.linkAddress, addressBlock(res.locals.caller.clientIp)],
  ]);
  if (refusal !== undefined) return refusal;
  const address = await deps.signUps.find(deps.hasher.candidates(token));
  if (address === undefined) return { status: 400, page: signUpLinkOverPage() };
  const continueTo = continuePath(queryParameter(req, 'continue'));
  const { email } = address;
  const invitation = await findInvitation(deps, invitationToken(continueTo), email);
  const joins = await joinedBusiness(deps, invitation, res);
  return { page: confirmSignUpPage({ session: res.locals.session, continueTo, token, email, joins }) };
}

async function postConfirm(deps: SignUpRoutesDeps, req: Request, res: Response): Promise<Answer> {
  const fields = fieldsOf(confirmForm, res.locals.form);
  const { token, name, password, business_name: accountHolder, username, continue: wish } = fields;
  const continueTo = continuePath(wish);
  const { session, caller } = res.locals;
  const refusal = await throttled(deps.throttle, [[rules.linkAddress, addressBlock(caller.clientIp)]]);
  if (refusal !== undefined) return refusal;
  const business =
    accountHolder === undefined && username === undefined
      ? undefined
      : { accountHolder: accountHolder ?? '', username: username ?? '' };
  const outcome = await completeSignUp(deps, {
    token,
    typed: { name, password, business },
    invitationToken: invitationToken(continueTo),
    ...caller,
  });
  switch (outcome.kind) {
    case 'link_over':
      return { status: 400, page: signUpLinkOverPage() };
    case 'refused': {
      const { email, faults, invitation } = outcome;
      const joins = await joinedBusiness(deps, invitation, res);
      const view = { session, continueTo, token, email, name, ...business, faults, joins };
      return { status: 400, page: confirmSignUpPage(view) };
    }
    case 'done': {
      const { personId, passwordSetAt, joined } = outcome;
      await beginSession(deps.sessions, req, res, { personId, passwordSetAt });
      return { redirect: joined === undefined ? continueTo : `/dashboard/${joined}` };
    }
  }
}

/** What the invited are told of the business. */
async function joinedBusiness(
  { findBusiness }: SignUpRoutesDeps,
  invitation: HeldInvitation | undefined,
  res: Response,
): Promise<JoinedBusiness | undefined> {
  if (invitation === undefined) return undefined;
  const { businessId, inviterName, role } = invitation;
  const business = await findBusiness(businessId, res.locals.caller.requestId);
  return business && { businessName: business.accountHolder, inviterName, role };
}
