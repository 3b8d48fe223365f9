import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { FieldErrors } from '../../platform/text.ts';
import { type Attempt, rules, type Throttle } from '../../platform/throttle.ts';
import { exactRouter } from '../../web/app.ts';
import { continueField, csrfField, errorSummary, fieldHtml, type Html, html } from '../../web/html.ts';
import { fieldsOf, queryParameter } from '../../web/input.ts';
import { handle, type Page, type PageResponse, throttled } from '../../web/pages.ts';
import {
  type BrowserSession,
  parseReturnTo,
  personActor,
  type Sessions,
  withReturnTo,
} from '../../web/sessions/browser-session.ts';
import {
  type CountLogin,
  type FailedLoginDeps,
  type LogInDeps,
  type LogInOutcome,
  type LoginOutcome,
  logIn,
  noteFailedLogin,
} from '../log-in.ts';
import { passkeyForm, passkeyPageHeaders } from '../passkeys/login-form.ts';
import type { PasskeyDeps } from '../passkeys/operations.ts';
import type { RelyingParty } from '../passkeys/passkey.ts';
import { normalizeEmail, type Person, validateEmail } from '../person.ts';
import { type CheckSecondFactorDeps, checkSecondFactor, refusedCodeText } from '../second-factor.ts';
import type { PersonStore } from '../store.ts';
import { beginSession, newBrowserOf } from './sessions.ts';

/** Pages that accept an invitation: to a team, and to the operators’ console. */
const joinPages = { team: '/dashboard/join?', console: '/operators/join?' } as const;

/** A notice on pages that lead to an invitation; undefined on others. */
export function invitationHint(returnTo: string, text: string): Html | undefined {
  const isInvited = Object.values(joinPages).some((page) => returnTo.startsWith(page));
  return isInvited ? html`<p class="notice">${text}</p>` : undefined;
}

/** Token of the invitation in `returnTo`, if it leads to one of this kind. */
export function invitationToken(returnTo: string, to: keyof typeof joinPages = 'team'): string | undefined {
  const page = joinPages[to];
  if (!returnTo.startsWith(page)) return undefined;
  return new URLSearchParams(returnTo.slice(page.length)).get('token') ?? undefined;
}

interface LoginView {
  readonly session: BrowserSession;
  /** Path after login; a hidden field of the form. */
  readonly returnTo: string;
  readonly email?: string;
  readonly errors?: FieldErrors;
  /** Confirmation of the previous step. */
  readonly notice?: string | undefined;
}

function loginPage(
  { session, returnTo, email, errors = {}, notice }: LoginView,
  relyingParty: RelyingParty | undefined,
): Page {
  return {
    title: 'Log in',
    body: html`${notice !== undefined && html`<p class="notice good" role="status">${notice}</p>`}
${invitationHint(returnTo, 'To accept the invitation, log in with the email address it was sent to, or create an account with it.')}
${errorSummary(errors)}
<form method="post" action="/login" novalidate>
  ${csrfField(session)}
  ${continueField(returnTo)}
  ${fieldHtml({ name: 'email', label: 'Email address', type: 'email', autocomplete: 'username webauthn', value: email })}
  ${fieldHtml({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
  <div class="actions">
    <button>Log in</button>
    <a href="/password/forgot">Forgot your password?</a>
  </div>
</form>
${passkeyForm({ purpose: 'log_in', relyingParty, session, returnTo })}
<p class="below">New here? <a href="${withReturnTo('/signup', returnTo)}">Create an account</a></p>`,
  };
}

function secondFactorLoginPage(
  { session, returnTo, errors = {} }: LoginView,
  relyingParty: RelyingParty | undefined,
  person: Person | undefined,
): Page {
  const hint =
    person?.secondFactor === 'on'
      ? 'Six digits from your authenticator app, or one of your recovery codes.'
      : 'One of your recovery codes, if your passkey is not at hand.';
  const code = { name: 'code', label: 'Code', autocomplete: 'one-time-code', hint, error: errors.code };
  return {
    title: 'Enter your code',
    body: html`${errorSummary(errors)}
${person !== undefined && person.passkeys > 0 && passkeyForm({ purpose: 'second_factor', relyingParty, session, returnTo })}
<form method="post" action="/login/second-factor" novalidate>
  ${csrfField(session)}
  ${continueField(returnTo)}
  ${fieldHtml(code)}
  <div class="actions">
    <button>Log in</button>
    <a href="${withReturnTo('/login', returnTo)}">Start again</a>
  </div>
</form>`,
  };
}

/**
 * Redirects by meta refresh, not by 303: browsers that apply the CSP's `form-action` to redirects after a form would
 * block the later ones.
 */
function forwardPage(path: string): Page {
  return {
    title: 'You are logged in',
    forwardTo: path,
    body: html`<p><a class="button" href="${path}">Continue</a></p>`,
  };
}

export interface LoginRoutesDeps extends LogInDeps, CheckSecondFactorDeps, FailedLoginDeps, PasskeyDeps {
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

/** Pages of login, in one or two steps, and of logout. */
export function loginRoutes(deps: LoginRoutesDeps): Router {
  const router = exactRouter();
  router.get(
    '/login',
    handle((req, res) => showLogin(deps, req, res)),
  );
  router.post(
    '/login',
    handle((req, res) => postLogin(deps, req, res)),
  );
  router.get(
    '/login/second-factor',
    handle((req, res) => showSecondFactor(deps, req, res)),
  );
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

const notices: ReadonlyMap<string, string> = new Map([
  ['logged-out', 'You are logged out.'],
  ['session-ended', 'Your session has ended. Log in to continue.'],
  ['account-deleted', 'Your account is deleted.'],
  ['asked', 'The app asks you to log in again.'],
  ['password-reset', 'Your password is set. Log in with your new password.'],
]);

/** The login page; 400 with errors. */
export function loginResponse({ relyingParty }: LoginRoutesDeps, view: LoginView): PageResponse {
  const status = view.errors === undefined ? 200 : 400;
  return { status, headers: passkeyPageHeaders, page: loginPage(view, relyingParty) };
}

/** The page that asks for the second factor; 400 with errors. @param person whose password was accepted */
export function secondFactorResponse(
  { relyingParty }: LoginRoutesDeps,
  person: Person | undefined,
  view: LoginView,
): PageResponse {
  const status = view.errors === undefined ? 200 : 400;
  return { status, headers: passkeyPageHeaders, page: secondFactorLoginPage(view, relyingParty, person) };
}

function showLogin(deps: LoginRoutesDeps, req: Request, res: Response): PageResponse {
  const { session } = res.locals;
  const returnTo = parseReturnTo(queryParameter(req, 'continue'));
  // With prompt=login an application requires a new login of the person (OpenID Connect Core section 3.1.2.1).
  const isAskedAgain = queryParameter(req, 'prompt') === 'login';
  if (session.personId !== undefined && !isAskedAgain) return { redirect: returnTo };
  const after = isAskedAgain ? 'asked' : queryParameter(req, 'after');
  return loginResponse(deps, { session, returnTo, notice: notices.get(after ?? '') });
}

async function postLogin(deps: LoginRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const fields = fieldsOf(loginForm, res.locals.form);
  const { clientIp, requestId, session } = res.locals;
  const email = normalizeEmail(fields.email);
  const person = validateEmail(email) === undefined ? await deps.people.findByEmail(email) : undefined;
  const refusal = await throttled(deps.throttle, loginAttempts(deps, req, res, email, person), waitAdvice);
  if (refusal !== undefined) return withCount(deps, 'throttled', refusal);
  const returnTo = parseReturnTo(fields.continue);
  const account = person && { personId: person.id, passwordSetAt: person.passwordSetAt };
  const newBrowser = account && newBrowserOf(deps.sessions, req, account);
  const attempt = { person, password: fields.password, clientIp, requestId, newBrowser };
  const outcome = await logIn(deps, attempt);
  if (outcome.kind === 'refused') {
    noteFailedLogin(deps, rules.passwordNotice, { account: email, person, clientIp });
    const errors = { form: 'Incorrect email address or password.' };
    return withCount(
      deps,
      'refused',
      loginResponse(deps, { session, returnTo, email: fields.email, errors }),
    );
  }
  return withCount(deps, outcome.kind, await completeLogin(deps, req, res, outcome, returnTo));
}

async function completeLogin(
  { sessions }: LoginRoutesDeps,
  req: Request,
  res: Response,
  { kind, personId, passwordSetAt }: Exclude<LogInOutcome, { kind: 'refused' }>,
  returnTo: string,
): Promise<PageResponse> {
  if (kind === 'awaiting') {
    await beginSession(sessions, req, res, { awaiting: personId, passwordSetAt });
    return { redirect: `/login/second-factor?continue=${encodeURIComponent(returnTo)}` };
  }
  await beginSession(sessions, req, res, { personId, passwordSetAt, passwordOnly: true });
  return forward(returnTo);
}

/** How the owner can get past a throttle. Neither way is affected by the attempts of others. */
const waitAdvice = html`<p>A browser in which you have logged in before does not have to wait, nor one in which you set
<a href="/password/forgot">a new password</a> by email.</p>`;

/**
 * Limits that apply to a login. A browser that has logged in to the account before has a separate limit, which attempts by
 * others cannot use up, even from the same address.
 */
function loginAttempts(
  { sessions }: LoginRoutesDeps,
  req: Request,
  res: Response,
  email: string,
  person: Person | undefined,
): Attempt[] {
  const account = person && { personId: person.id, passwordSetAt: person.passwordSetAt };
  const device = account && sessions.recognizeDevice(req, account);
  if (device !== undefined) return [[rules.loginAccountDevice, email, device]];
  const address = addressBlock(res.locals.clientIp);
  return [
    [rules.loginAddress, address],
    [rules.loginAccountAddress, email, address],
    [rules.loginAccount, email],
  ];
}

async function showSecondFactor(deps: LoginRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const { session } = res.locals;
  const returnTo = parseReturnTo(queryParameter(req, 'continue'));
  const personId = session.data?.awaiting;
  if (personId === undefined) return { redirect: withReturnTo('/login', returnTo) };
  return secondFactorResponse(deps, await deps.people.find(personId), { session, returnTo });
}

async function postSecondFactor(deps: LoginRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const fields = fieldsOf(codeForm, res.locals.form);
  const { session } = res.locals;
  const personId = session.data?.awaiting;
  if (session.data === undefined || personId === undefined) return { redirect: '/login' };
  const refusal = await throttled(deps.throttle, [[rules.secondFactorAccount, personId]]);
  if (refusal !== undefined) return withCount(deps, 'throttled', refusal);
  const returnTo = parseReturnTo(fields.continue);
  const { passwordSetAt } = session.data;
  const actor = personActor(res, personId);
  const newBrowser = newBrowserOf(deps.sessions, req, { personId, passwordSetAt });
  const shown = { personId, passwordSetAt, code: fields.code, actor, newBrowser };
  if (!(await checkSecondFactor(deps, shown))) {
    const person = await deps.people.find(personId);
    const failed = { account: personId, person, clientIp: res.locals.clientIp };
    noteFailedLogin(deps, rules.codeNotice, failed);
    const errors = { code: refusedCodeText };
    return withCount(deps, 'refused', secondFactorResponse(deps, person, { session, returnTo, errors }));
  }
  await beginSession(deps.sessions, req, res, { personId, passwordSetAt });
  return withCount(deps, 'logged_in', forward(returnTo));
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
  // Switching accounts: the next login returns to the same page.
  const returnTo = parseReturnTo(res.locals.form.get('continue'));
  return { redirect: withReturnTo('/login?after=logged-out', returnTo) };
}

/** The way on after a login. */
export function forward(path: string): PageResponse {
  return path.startsWith('/oauth/') ? { page: forwardPage(path) } : { redirect: path };
}

/** Counts a step of a login. */
export function withCount(
  deps: LoginRoutesDeps,
  outcome: LoginOutcome,
  response: PageResponse,
): PageResponse {
  deps.countLogin(outcome);
  return response;
}
