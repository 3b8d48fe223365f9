import { addressBlock } from '@platform/service-kit/address-block.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { CountLogin, LoginOutcome } from '../../metrics/login-metrics.ts';
import { type CheckSecondFactorDeps, checkSecondFactor } from '../../people/check-second-factor.ts';
import { type LogInDeps, type LogInOutcome, logIn } from '../../people/log-in.ts';
import type { PersonStore } from '../../people/person-store.ts';
import { toEmail } from '../../people/text-rules.ts';
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
import { forwardPage, loginPage, secondFactorLoginPage } from './login-page.ts';
import { personActor } from './person-actor.ts';

export interface LoginRoutesDeps extends LogInDeps, CheckSecondFactorDeps {
  readonly people: PersonStore;
  readonly sessions: Sessions;
  readonly throttle: Throttle;
  readonly countLogin: CountLogin;
}

const loginForm = z.strictObject({
  email: z.string(),
  password: z.string(),
  continue: z.string().optional(),
});
const codeForm = z.strictObject({ code: z.string(), continue: z.string().optional() });

/** Login in one or two steps, and logout. */
export function loginRoutes(deps: LoginRoutesDeps): Router {
  const router = exactRouter();
  router.get('/login', handle(showLogin));
  router.post(
    '/login',
    handle((req, res) => postLogin(deps, req, res)),
  );
  router.get('/login/second-factor', handle(showSecondFactor));
  router.post(
    '/login/second-factor',
    handle((req, res) => postSecondFactor(deps, req, res)),
  );
  router.post(
    '/logout',
    handle((req, res) => postLogout(deps, req, res)),
  );
  return router;
}

const news: ReadonlyMap<string, string> = new Map([
  ['logged-out', 'You are logged out.'],
  ['password-reset', 'Your password is set. Log in with it.'],
]);

function showLogin(req: Request, res: Response): Answer {
  const { session } = res.locals;
  const continueTo = continuePath(queryParameter(req, 'continue'));
  if (session.personId !== undefined) return { redirect: continueTo };
  return { page: loginPage({ session, continueTo, news: news.get(queryParameter(req, 'after') ?? '') }) };
}

async function postLogin(deps: LoginRoutesDeps, req: Request, res: Response): Promise<Answer> {
  const fields = fieldsOf(loginForm, res.locals.form);
  const { caller, session } = res.locals;
  const [email, address] = [toEmail(fields.email), addressBlock(caller.clientIp)];
  const refusal = await throttled(deps.throttle, [
    [rules.loginAddress, address],
    [rules.loginAccountAddress, email, address],
    [rules.loginAccount, email],
  ]);
  if (refusal !== undefined) return counted(deps, 'throttled', refusal);
  const continueTo = continuePath(fields.continue);
  const outcome = await logIn(deps, { email, password: fields.password, ...caller });
  if (outcome.kind === 'refused') {
    const faults = { form: 'That email address and password do not match.' };
    const page = loginPage({ session, continueTo, email: fields.email, faults });
    return counted(deps, 'refused', { status: 400, page });
  }
  return counted(deps, outcome.kind, await proceed(deps, req, res, outcome, continueTo));
}

async function proceed(
  { sessions }: LoginRoutesDeps,
  req: Request,
  res: Response,
  { kind, personId, passwordSetAt }: Exclude<LogInOutcome, { kind: 'refused' }>,
  continueTo: string,
): Promise<Answer> {
  if (kind === 'awaiting') {
    await beginSession(sessions, req, res, { awaiting: personId, passwordSetAt });
    return { redirect: `/login/second-factor?continue=${encodeURIComponent(continueTo)}` };
  }
  await beginSession(sessions, req, res, { personId, passwordSetAt });
  return forward(continueTo);
}

function showSecondFactor(req: Request, res: Response): Answer {
  const { session } = res.locals;
  const continueTo = continuePath(queryParameter(req, 'continue'));
  if (session.data?.awaiting === undefined) return { redirect: '/login' };
  return { page: secondFactorLoginPage({ session, continueTo }) };
}

async function postSecondFactor(deps: LoginRoutesDeps, req: Request, res: Response): Promise<Answer> {
  const fields = fieldsOf(codeForm, res.locals.form);
  const { session } = res.locals;
  const personId = session.data?.awaiting;
  if (session.data === undefined || personId === undefined) return { redirect: '/login' };
  const refusal = await throttled(deps.throttle, [[rules.secondFactorAccount, personId]]);
  if (refusal !== undefined) return counted(deps, 'throttled', refusal);
  const continueTo = continuePath(fields.continue);
  const { passwordSetAt } = session.data;
  const actor = personActor(res, personId);
  if (!(await checkSecondFactor(deps, { personId, passwordSetAt, code: fields.code, actor }))) {
    const faults = { code: 'This code is wrong, or was used already.' };
    return counted(deps, 'refused', {
      status: 400,
      page: secondFactorLoginPage({ session, continueTo, faults }),
    });
  }
  await beginSession(deps.sessions, req, res, { personId, passwordSetAt });
  return counted(deps, 'logged_in', forward(continueTo));
}

async function postLogout(
  { people, sessions }: LoginRoutesDeps,
  req: Request,
  res: Response,
): Promise<Answer> {
  const { personId } = res.locals.session;
  await sessions.end(req, res);
  if (personId !== undefined) {
    const act = { actor: personActor(res, personId), action: 'person.logged_out' };
    await people.inTransaction((transaction) => transaction.audit(personId, act));
  }
  // For who goes on as somebody else: where the next login leads.
  const continueTo = continuePath(res.locals.form.get('continue'));
  return { redirect: withContinue('/login?after=logged-out', continueTo) };
}

function forward(path: string): Answer {
  return path.startsWith('/oauth/') ? { page: forwardPage(path) } : { redirect: path };
}

function counted(deps: LoginRoutesDeps, outcome: LoginOutcome, answer: Answer): Answer {
  deps.countLogin(outcome);
  return answer;
}
