import type { Faults } from '../../people/faults.ts';
import { withContinue } from '../continue-path.ts';
import { continueField, csrfField, faultSummary, fieldHtml } from '../pages/form.ts';
import { html } from '../pages/html.ts';
import type { Page } from '../pages/layout.ts';
import type { BrowserSession } from '../session.ts';
import { invitationHint } from './invitation-hint.ts';

export interface LoginView {
  readonly session: BrowserSession;
  /** Where the login leads; part of the form. */
  readonly continueTo: string;
  readonly email?: string;
  readonly faults?: Faults;
  /** What has just been done. */
  readonly news?: string | undefined;
}

export function loginPage({ session, continueTo, email, faults = {}, news }: LoginView): Page {
  return {
    title: 'Log in',
    body: html`${news !== undefined && html`<p class="notice good" role="status">${news}</p>`}
${invitationHint(continueTo, 'To accept the invitation, log in with the address that it was sent to. If that has no account yet, create one with it.')}
${faultSummary(faults)}
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

export function secondFactorLoginPage({ session, continueTo, faults = {} }: LoginView): Page {
  const hint = 'Six digits from your authenticator app, or one of your recovery codes.';
  const code = { name: 'code', label: 'Code', autocomplete: 'one-time-code', hint, error: faults.code };
  return {
    title: 'Enter your code',
    body: html`${faultSummary(faults)}
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
export function forwardPage(path: string): Page {
  return {
    title: 'You are logged in',
    forwardTo: path,
    body: html`<p><a class="button" href="${path}">Continue</a></p>`,
  };
}
