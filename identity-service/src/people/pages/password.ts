import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { FieldErrors } from '../../platform/text.ts';
import { countAttempts, rules, type Throttle } from '../../platform/throttle.ts';
import { exactRouter } from '../../web/app.ts';
import { csrfField, errorSummary, fieldHtml, html } from '../../web/html.ts';
import { fieldsOf, incorrectPasswordText, queryParameter } from '../../web/input.ts';
import { handle, type Page, type PageResponse, throttled } from '../../web/pages.ts';
import {
  type BrowserSession,
  personActor,
  personOf,
  requirePerson,
  type Sessions,
} from '../../web/sessions/browser-session.ts';
import {
  type ChangePasswordDeps,
  changePassword,
  type RequestResetDeps,
  type ResetPasswordDeps,
  requestReset,
  resetPassword,
} from '../password.ts';
import { normalizeEmail, validateEmail } from '../person.ts';
import type { PersonStore } from '../store.ts';
import { afterNewPassword, beginSession } from './sessions.ts';

interface View {
  readonly session: BrowserSession;
  readonly errors?: FieldErrors;
}

/** Hint of a field for a new password. */
export const newPasswordHint = 'At least 12 characters. A few words in a row are fine.';

const newPassword = {
  name: 'new_password',
  label: 'New password',
  type: 'password',
  autocomplete: 'new-password',
  hint: newPasswordHint,
} as const;

function forgotPage({ session, email, errors = {} }: View & { email?: string }): Page {
  const error = errors.email;
  return {
    title: 'Forgot your password?',
    body: html`${errorSummary(errors)}
<p>We email you a link to set a new one.</p>
<form method="post" action="/password/forgot" novalidate>
  ${csrfField(session)}
  ${fieldHtml({ name: 'email', label: 'Email address', type: 'email', autocomplete: 'username', value: email, error })}
  <div class="actions"><button>Send the link</button> <a href="/login">Back to login</a></div>
</form>`,
  };
}

/** The same for every address, so that it does not tell which ones have an account. */
function resetSentPage(): Page {
  return {
    title: 'Check your email',
    body: html`<p>If this address has an account, we sent a link to it. The link works once and expires in 30 minutes.</p>
<p class="hint">No email? Check your spam folder, or <a href="/password/forgot">request another link</a>.</p>`,
  };
}

function resetPage({ session, token, errors = {} }: View & { token: string }): Page {
  return {
    title: 'Set a new password',
    body: html`${errorSummary(errors)}
<p>This ends all your sessions.</p>
<form method="post" action="/password/reset" novalidate>
  ${csrfField(session)}
  <input type="hidden" name="token" value="${token}">
  ${fieldHtml({ ...newPassword, error: errors.new_password })}
  <div class="actions"><button>Set password</button></div>
</form>`,
  };
}

/** For a link that was used, has expired or never existed. */
function invalidResetLinkPage(): Page {
  return {
    title: 'This link is no longer valid',
    body: html`<p>It was already used, or has expired.</p>
<div class="actions"><a class="button" href="/password/forgot">Get a new link</a></div>`,
  };
}

function changePasswordPage({ session, changed, errors = {} }: View & { changed?: boolean }): Page {
  return {
    title: 'Change your password',
    body: html`${errorSummary(errors)}
${changed === true && html`<p class="notice good" role="status">Your password is changed. You are logged out everywhere else.</p>`}
<form method="post" action="/account/password" novalidate>
  ${csrfField(session)}
  ${fieldHtml({
    name: 'password',
    label: 'Current password',
    type: 'password',
    autocomplete: 'current-password',
    error: errors.password,
  })}
  ${fieldHtml({ ...newPassword, error: errors.new_password })}
  <div class="actions"><button>Change password</button> <a href="/dashboard/profile">Back to your account</a></div>
</form>`,
  };
}

interface PasswordRoutesDeps extends ChangePasswordDeps, RequestResetDeps, ResetPasswordDeps {
  readonly people: PersonStore;
  readonly sessions: Sessions;
  readonly throttle: Throttle;
}

const forgotForm = z.strictObject({ email: z.string() });

const resetForm = z.strictObject({ token: z.string(), new_password: z.string() });

const changeForm = z.strictObject({ password: z.string(), new_password: z.string() });

/** Pages to reset a forgotten password by an emailed link, and to change a known one. */
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
    handle((req, res) => postReset(deps, req, res)),
  );
  router.get('/account/password', requirePerson, handle(showChange));
  router.post(
    '/account/password',
    requirePerson,
    handle((req, res) => postChange(deps, req, res)),
  );
  return router;
}

/**
 * Seconds between two emails to one person: normally, and for requests from an address that sends many. Both are shorter
 * than the life of a link, so that requests by others cannot leave the owner without a working link.
 */
const pause = 60;

const crowdedPause = 600;

async function postForgot(deps: PasswordRoutesDeps, res: Response): Promise<PageResponse> {
  const { email: submitted } = fieldsOf(forgotForm, res.locals.form);
  const { session, clientIp, requestId } = res.locals;
  const email = normalizeEmail(submitted);
  const error = validateEmail(email);
  if (error !== undefined) {
    return { status: 400, page: forgotPage({ session, email: submitted, errors: { email: error } }) };
  }
  const crowded = await countAttempts(deps.throttle, [[rules.resetAddress, addressBlock(clientIp)]]);
  const pauseSeconds = crowded === undefined ? pause : crowdedPause;
  requestReset(deps, { email, clientIp, requestId, pauseSeconds });
  return { page: resetSentPage() };
}

async function showReset(deps: PasswordRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const token = queryParameter(req, 'token') ?? '';
  const refusal = await throttled(deps.throttle, [[rules.linkAddress, addressBlock(res.locals.clientIp)]]);
  if (refusal !== undefined) return refusal;
  const person = await deps.people.findByReset(deps.hasher.candidates(token));
  if (person === undefined) return { status: 400, page: invalidResetLinkPage() };
  return { page: resetPage({ session: res.locals.session, token }) };
}

async function postReset(deps: PasswordRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const { token, new_password: password } = fieldsOf(resetForm, res.locals.form);
  const { session, clientIp, requestId } = res.locals;
  const refusal = await throttled(deps.throttle, [[rules.linkAddress, addressBlock(clientIp)]]);
  if (refusal !== undefined) return refusal;
  const outcome = await resetPassword(deps, { token, password, clientIp, requestId });
  switch (outcome.kind) {
    case 'invalid_link':
      return { status: 400, page: invalidResetLinkPage() };
    case 'refused':
      return { status: 400, page: resetPage({ session, token, errors: { new_password: outcome.error } }) };
    case 'reset':
      // The link proves access to the owner's mailbox, so the next login in this browser has a separate limit.
      deps.sessions.rememberDevice(req, res, outcome);
      return { redirect: '/login?after=password-reset' };
  }
}

function showChange(req: Request, res: Response): PageResponse {
  const changed = queryParameter(req, 'after') === 'changed';
  return { page: changePasswordPage({ session: res.locals.session, changed }) };
}

async function postChange(deps: PasswordRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
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
        page: changePasswordPage({ session, errors: { password: incorrectPasswordText } }),
      };
    case 'refused':
      return { status: 400, page: changePasswordPage({ session, errors: { new_password: outcome.error } }) };
    case 'changed':
      await beginSession(deps.sessions, req, res, afterNewPassword(session, personId, outcome.passwordSetAt));
      return { redirect: '/account/password?after=changed' };
  }
}
