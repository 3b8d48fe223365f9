import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import { type BeginSignUpDeps, beginSignUp } from '../../people/begin-sign-up.ts';
import { type CompleteSignUpDeps, completeSignUp } from '../../people/complete-sign-up.ts';
import { emailFault, toEmail } from '../../people/text-rules.ts';
import { addressBlock } from '../../throttle/address-block.ts';
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
import { confirmSignUpPage, linkSentPage, signUpLinkOverPage, signUpPage } from './sign-up-page.ts';

export interface SignUpRoutesDeps extends BeginSignUpDeps, CompleteSignUpDeps {
  readonly sessions: Sessions;
  readonly throttle: Throttle;
}

const addressForm = z.strictObject({ email: z.string(), continue: z.string().optional() });
const confirmForm = z.strictObject({
  token: z.string(),
  name: z.string(),
  password: z.string(),
  business_name: z.string(),
  username: z.string(),
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
  return { page: confirmSignUpPage({ session: res.locals.session, continueTo, token, email }) };
}

async function postConfirm(deps: SignUpRoutesDeps, req: Request, res: Response): Promise<Answer> {
  const fields = fieldsOf(confirmForm, res.locals.form);
  const { token, business_name: accountHolder, continue: wish, ...rest } = fields;
  const continueTo = continuePath(wish);
  const { session, caller } = res.locals;
  const refusal = await throttled(deps.throttle, [[rules.linkAddress, addressBlock(caller.clientIp)]]);
  if (refusal !== undefined) return refusal;
  const outcome = await completeSignUp(deps, { token, typed: { accountHolder, ...rest }, ...caller });
  switch (outcome.kind) {
    case 'link_over':
      return { status: 400, page: signUpLinkOverPage() };
    case 'refused': {
      const { email, faults } = outcome;
      const { name, username } = rest;
      const view = { session, continueTo, token, email, name, accountHolder, username, faults };
      return { status: 400, page: confirmSignUpPage(view) };
    }
    case 'done': {
      const { personId, passwordSetAt } = outcome;
      await beginSession(deps.sessions, req, res, { personId, passwordSetAt });
      return { redirect: continueTo };
    }
  }
}
