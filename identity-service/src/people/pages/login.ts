import { addressBlock } from '@platform/service-kit/addresses.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { FieldErrors } from '../../platform/text.ts';
import { rules, type Throttle } from '../../platform/throttle.ts';
import {
  type BrowserSession,
  continuePath,
  type Sessions,
  withContinue,
} from '../../sessions/browser-session.ts';
import { exactRouter } from '../../web/app.ts';
import { continueField, csrfField, errorSummary, fieldHtml, type Html, html } from '../../web/html.ts';
import { fieldsOf, queryParameter } from '../../web/input.ts';
import { handle, type Page, type PageResponse, throttled } from '../../web/pages.ts';
import { type CountLogin, type LogInDeps, type LogInOutcome, type LoginOutcome, logIn } from '../log-in.ts';
import { toEmail } from '../person.ts';
import { type CheckSecondFactorDeps, checkSecondFactor } from '../second-factor.ts';
import type { PersonStore } from '../store.ts';
import { beginSession, personActor } from './sessions.ts';

const joinPage = '/dashboard/join?';

/** A word to somebody whom an invitation has led here; nothing for everybody else. */
export function invitationHint(continueTo: string, text: string): Html | undefined {
  return continueTo.startsWith(joinPage) ? html`<p class="notice">${text}</p>` : undefined;
}

/** The token of the invitation that leads on to `continueTo`. */
export function invitationToken(continueTo: string): string | undefined {
  if (!continueTo.startsWith(joinPage)) return undefined;
  return new URLSearchParams(continueTo.slice(joinPage.length)).get('token') ?? undefined;
}

interface LoginView {
  readonly session: BrowserSession;
  /** Where the login leads; part of the form. */
  readonly continueTo: string;
  readonly email?: string;
  readonly faults?: FieldErrors;
  /** What has just been done. */
  readonly news?: string | undefined;
}

function loginPage({ session, continueTo, email, faults = {}, news }: LoginView): Page {
  return {
    title: 'Log in',
    body: html`${news !== undefined && html`<p class="notice good" role="status">${news}</p>`}
${invitationHint(continueTo, 'To accept the invitation, log in with the address that it was sent to. If that has no account yet, create one with it.')}
${errorSummary(faults)}
<form method="post" action="/login" novalidate>
  ${csrfField(session)}
  ${continueField(continueTo)}
  ${fieldHtml({ name: 'email', label: 'Email address', type: 'email', autocomplete: 'username', value: email })}
  ${fieldHtml({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
  <div class="actions">
    <button>Log in</button>
    <a href="/password/forgot">Forgot your password?</a>
  </div>
</form>
<p class="below">New here? <a href="${withContinue('/signup', continueTo)}">Create an account</a></p>`,
  };
}

function secondFactorLoginPage({ session, continueTo, faults = {} }: LoginView): Page {
  const hint = 'Six digits from your authenticator app, or one of your recovery codes.';
  const code = { name: 'code', label: 'Code', autocomplete: 'one-time-code', hint, error: faults.code };
  return {
    title: 'Enter your code',
    body: html`${errorSummary(faults)}
<form method="post" action="/login/second-factor" novalidate>
  ${csrfField(session)}
  ${continueField(continueTo)}
  ${fieldHtml(code)}
  <div class="actions">
    <button>Log in</button>
    <a href="${withContinue('/login', continueTo)}">Start again</a>
  </div>
</form>`,
  };
}

/** Goes on by itself. Not by 303: browsers that apply `form-action` to what follows a form would stop later redirects. */
function forwardPage(path: string): Page {
  return {
    title: 'You are logged in',
    forwardTo: path,
    body: html`<p><a class="button" href="${path}">Continue</a></p>`,
  };
}

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

function showLogin(req: Request, res: Response): PageResponse {
  const { session } = res.locals;
  const continueTo = continuePath(queryParameter(req, 'continue'));
  if (session.personId !== undefined) return { redirect: continueTo };
  return { page: loginPage({ session, continueTo, news: news.get(queryParameter(req, 'after') ?? '') }) };
}

async function postLogin(deps: LoginRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const fields = fieldsOf(loginForm, res.locals.form);
  const { clientIp, requestId, session } = res.locals;
  const [email, address] = [toEmail(fields.email), addressBlock(clientIp)];
  const refusal = await throttled(deps.throttle, [
    [rules.loginAddress, address],
    [rules.loginAccountAddress, email, address],
    [rules.loginAccount, email],
  ]);
  if (refusal !== undefined) return counted(deps, 'throttled', refusal);
  const continueTo = continuePath(fields.continue);
  const outcome = await logIn(deps, { email, password: fields.password, clientIp, requestId });
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
): Promise<PageResponse> {
  if (kind === 'awaiting') {
    await beginSession(sessions, req, res, { awaiting: personId, passwordSetAt });
    return { redirect: `/login/second-factor?continue=${encodeURIComponent(continueTo)}` };
  }
  await beginSession(sessions, req, res, { personId, passwordSetAt });
  return forward(continueTo);
}

function showSecondFactor(req: Request, res: Response): PageResponse {
  const { session } = res.locals;
  const continueTo = continuePath(queryParameter(req, 'continue'));
  if (session.data?.awaiting === undefined) return { redirect: '/login' };
  return { page: secondFactorLoginPage({ session, continueTo }) };
}

async function postSecondFactor(deps: LoginRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
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
): Promise<PageResponse> {
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

function forward(path: string): PageResponse {
  return path.startsWith('/oauth/') ? { page: forwardPage(path) } : { redirect: path };
}

function counted(deps: LoginRoutesDeps, outcome: LoginOutcome, answer: PageResponse): PageResponse {
  deps.countLogin(outcome);
  return answer;
}
