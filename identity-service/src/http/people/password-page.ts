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
    title: 'Forgot the password?',
    body: html`${faultSummary(faults)}
<p>We send you a link with which you set a new one.</p>
<form method="post" action="/password/forgot" novalidate>
  ${csrfField(session)}
  ${fieldHtml({ name: 'email', label: 'Mail address', type: 'email', autocomplete: 'username', value: email, error })}
  <div class="actions"><button>Send the link</button> <a href="/login">Back to the login</a></div>
</form>`,
  };
}

/** The same for every address. */
export function resetSentPage(): Page {
  return {
    title: 'Look into your mail',
    body: html`<p>If this address has an account, we have sent a link to it. It works once, within 30 minutes.</p>
<p class="hint">No mail? Look among the unwanted ones, or <a href="/password/forgot">have it sent again</a>.</p>`,
  };
}

export function resetPage({ session, token, faults = {} }: View & { token: string }): Page {
  return {
    title: 'Set a new password',
    body: html`${faultSummary(faults)}
<p>It ends every session of yours, on every device.</p>
<form method="post" action="/password/reset" novalidate>
  ${csrfField(session)}
  <input type="hidden" name="token" value="${token}">
  ${fieldHtml({ ...newPassword, error: faults.new_password })}
  <div class="actions"><button>Set the password</button></div>
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
    title: 'Change the password',
    body: html`${faultSummary(faults)}
${changed === true && html`<p class="notice good" role="status">Your password is changed. Every other session has ended.</p>`}
<form method="post" action="/account/password" novalidate>
  ${csrfField(session)}
  ${fieldHtml({
    name: 'password',
    label: 'Password until now',
    type: 'password',
    autocomplete: 'current-password',
    error: faults.password,
  })}
  ${fieldHtml({ ...newPassword, error: faults.new_password })}
  <div class="actions"><button>Change the password</button> <a href="/account">Back to the account</a></div>
</form>`,
  };
}
