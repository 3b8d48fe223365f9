import { addressBlock } from '@platform/service-kit/address-block.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import { type ChangePasswordDeps, changePassword } from '../../people/change-password.ts';
import type { PersonStore } from '../../people/person-store.ts';
import { type RequestResetDeps, requestReset } from '../../people/request-reset.ts';
import { type ResetPasswordDeps, resetPassword } from '../../people/reset-password.ts';
import { emailFault, toEmail } from '../../people/text-rules.ts';
import { rules } from '../../throttle/rules.ts';
import type { Throttle } from '../../throttle/throttle.ts';
import { type Answer, handle } from '../answer.ts';
import { fieldsOf } from '../read-form.ts';
import { queryParameter } from '../read-query.ts';
import { personOf, requirePerson } from '../require-person.ts';
import { exactRouter } from '../router.ts';
import type { Sessions } from '../session.ts';
import { throttled } from '../throttle-page.ts';
import { beginSession } from './begin-session.ts';
import {
  changePasswordPage,
  forgotPage,
  resetLinkOverPage,
  resetPage,
  resetSentPage,
} from './password-page.ts';
import { personActor } from './person-actor.ts';

export interface PasswordRoutesDeps extends ChangePasswordDeps, RequestResetDeps, ResetPasswordDeps {
  readonly people: PersonStore;
  readonly sessions: Sessions;
  readonly throttle: Throttle;
}

const forgotForm = z.strictObject({ email: z.string() });
const resetForm = z.strictObject({ token: z.string(), new_password: z.string() });
const changeForm = z.strictObject({ password: z.string(), new_password: z.string() });

/** A forgotten password is replaced through a mailed link, a known one on the account's page. */
export function passwordRoutes(deps: PasswordRoutesDeps): Router {
  const router = exactRouter();
  router.get(
    '/password/forgot',
    handle((_req, res) => ({ page: forgotPage({ session: res.locals.session }) })),
  );
  router.post(
    '/password/forgot',
    handle((_req, res) => postForgot(deps, res)),
  );
  router.get(
    '/password/reset',
    handle((req, res) => showReset(deps, req, res)),
  );
  router.post(
    '/password/reset',
    handle((_req, res) => postReset(deps, res)),
  );
  router.get('/account/password', requirePerson, handle(showChange));
  router.post(
    '/account/password',
    requirePerson,
    handle((req, res) => postChange(deps, req, res)),
  );
  return router;
}

async function postForgot(deps: PasswordRoutesDeps, res: Response): Promise<Answer> {
  const { email: typed } = fieldsOf(forgotForm, res.locals.form);
  const { session, caller } = res.locals;
  const email = toEmail(typed);
  const fault = emailFault(email);
  if (fault !== undefined) {
    return { status: 400, page: forgotPage({ session, email: typed, faults: { email: fault } }) };
  }
  const refusal = await throttled(deps.throttle, [
    [rules.resetAddress, addressBlock(caller.clientIp)],
    [rules.resetAccount, email],
  ]);
  if (refusal !== undefined) return refusal;
  requestReset(deps, { email, ...caller });
  return { page: resetSentPage() };
}

async function showReset(deps: PasswordRoutesDeps, req: Request, res: Response): Promise<Answer> {
  const token = queryParameter(req, 'token') ?? '';
  const refusal = await throttled(deps.throttle, [
    [rules.linkAddress, addressBlock(res.locals.caller.clientIp)],
  ]);
  if (refusal !== undefined) return refusal;
  const person = await deps.people.findByReset(deps.hasher.candidates(token));
  if (person === undefined) return { status: 400, page: resetLinkOverPage() };
  return { page: resetPage({ session: res.locals.session, token }) };
}

async function postReset(deps: PasswordRoutesDeps, res: Response): Promise<Answer> {
  const { token, new_password: password } = fieldsOf(resetForm, res.locals.form);
  const { session, caller } = res.locals;
  const refusal = await throttled(deps.throttle, [[rules.linkAddress, addressBlock(caller.clientIp)]]);
  if (refusal !== undefined) return refusal;
  const outcome = await resetPassword(deps, { token, password, ...caller });
  switch (outcome.kind) {
    case 'link_over':
      return { status: 400, page: resetLinkOverPage() };
    case 'refused':
      return { status: 400, page: resetPage({ session, token, faults: { new_password: outcome.fault } }) };
    case 'reset':
      return { redirect: '/login?after=password-reset' };
  }
}

function showChange(req: Request, res: Response): Answer {
  const changed = queryParameter(req, 'after') === 'changed';
  return { page: changePasswordPage({ session: res.locals.session, changed }) };
}

async function postChange(deps: PasswordRoutesDeps, req: Request, res: Response): Promise<Answer> {
  const { password: current, new_password: next } = fieldsOf(changeForm, res.locals.form);
  const { session } = res.locals;
  const personId = personOf(res);
  const refusal = await throttled(deps.throttle, [[rules.passwordAccount, personId]]);
  if (refusal !== undefined) return refusal;
  const outcome = await changePassword(deps, { personId, current, next, actor: personActor(res, personId) });
  switch (outcome.kind) {
    case 'wrong_password':
      return {
        status: 400,
        page: changePasswordPage({ session, faults: { password: 'This is not your password.' } }),
      };
    case 'refused':
      return { status: 400, page: changePasswordPage({ session, faults: { new_password: outcome.fault } }) };
    case 'changed':
      await beginSession(deps.sessions, req, res, { personId, passwordSetAt: outcome.passwordSetAt });
      return { redirect: '/account/password?after=changed' };
  }
}
