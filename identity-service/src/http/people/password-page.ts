import type { Faults } from '../../people/faults.ts';
import { csrfField, faultSummary, fieldHtml } from '../pages/form.ts';
import { html } from '../pages/html.ts';
import type { Page } from '../pages/layout.ts';
import type { BrowserSession } from '../session.ts';

interface View {
  readonly session: BrowserSession;
  readonly faults?: Faults;
}

const newPassword = {
  name: 'new_password',
  label: 'New password',
  type: 'password',
  autocomplete: 'new-password',
  hint: 'At least 12 characters. A few words in a row are fine.',
} as const;

export function forgotPage({ session, email, faults = {} }: View & { email?: string }): Page {
  const error = faults.email;
  return {
    title: 'Forgot your password?',
    body: html`${faultSummary(faults)}
<p>We send you a link to set a new one.</p>
<form method="post" action="/password/forgot" novalidate>
  ${csrfField(session)}
  ${fieldHtml({ name: 'email', label: 'Email address', type: 'email', autocomplete: 'username', value: email, error })}
  <div class="actions"><button>Send the link</button> <a href="/login">Back to login</a></div>
</form>`,
  };
}

/** The same for every address. */
export function resetSentPage(): Page {
  return {
    title: 'Check your email',
    body: html`<p>If this address has an account, we have sent a link to it. It works once, within 30 minutes.</p>
<p class="hint">Nothing there? Check your spam folder, or <a href="/password/forgot">have it sent again</a>.</p>`,
  };
}

export function resetPage({ session, token, faults = {} }: View & { token: string }): Page {
  return {
    title: 'Set a new password',
    body: html`${faultSummary(faults)}
<p>This logs you out everywhere.</p>
<form method="post" action="/password/reset" novalidate>
  ${csrfField(session)}
  <input type="hidden" name="token" value="${token}">
  ${fieldHtml({ ...newPassword, error: faults.new_password })}
  <div class="actions"><button>Set password</button></div>
</form>`,
  };
}

/** For a link that does not work any more. */
export function resetLinkOverPage(): Page {
  return {
    title: 'This link does not work any more',
    body: html`<p>It was used already, or is older than 30 minutes.</p>
<div class="actions"><a class="button" href="/password/forgot">Get a new link</a></div>`,
  };
}

export function changePasswordPage({ session, changed, faults = {} }: View & { changed?: boolean }): Page {
  return {
    title: 'Change your password',
    body: html`${faultSummary(faults)}
${changed === true && html`<p class="notice good" role="status">Your password is changed. You are logged out everywhere else.</p>`}
<form method="post" action="/account/password" novalidate>
  ${csrfField(session)}
  ${fieldHtml({
    name: 'password',
    label: 'Current password',
    type: 'password',
    autocomplete: 'current-password',
    error: faults.password,
  })}
  ${fieldHtml({ ...newPassword, error: faults.new_password })}
  <div class="actions"><button>Change password</button> <a href="/account">Back to your account</a></div>
</form>`,
  };
}
