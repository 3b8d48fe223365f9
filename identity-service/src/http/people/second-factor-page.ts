import type { Faults } from '../../people/faults.ts';
import type { Person } from '../../people/person.ts';
import { csrfField, faultSummary, fieldHtml } from '../pages/form.ts';
import { type Html, html } from '../pages/html.ts';
import type { Page } from '../pages/layout.ts';
import type { BrowserSession } from '../session.ts';
import { qrCode } from './qr-code.ts';

interface View {
  readonly session: BrowserSession;
  readonly faults?: Faults;
}

const title = 'Second factor';
const back = html`<p class="below"><a href="/account">Back to your account</a></p>`;

/** Not on: how to turn it on. */
export function offPage({ session, faults = {} }: View): Page {
  return {
    title,
    body: html`${faultSummary(faults)}
<p>With a second factor, logging in takes a code from an app on your phone besides the password.</p>
${passwordForm(session, '/account/second-factor/begin', html`<button>Turn it on</button>`, faults.password)}
${back}`,
  };
}

/** Offered: the secret for the app, and the question for its first code. */
export function offeredPage({
  session,
  uri,
  secret,
  faults = {},
}: View & { uri: string; secret: string }): Page {
  const grouped = secret.match(/.{1,4}/g)?.join(' ') ?? secret;
  return {
    title,
    body: html`${faultSummary(faults)}
<p>Scan this with your authenticator app.</p>
${qrCode(uri, 'QR code for the authenticator app')}
<p>Or enter this key: <span class="code">${grouped}</span></p>
<form method="post" action="/account/second-factor/confirm" novalidate>
  ${csrfField(session)}
  ${fieldHtml({
    name: 'code',
    label: 'Code from the app',
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    error: faults.code,
  })}
  <div class="actions"><button>Confirm</button> <a href="/account">Not now</a></div>
</form>`,
  };
}

/** On: new recovery codes, or off. */
export function onPage({ session, person, faults = {} }: View & { person: Person }): Page {
  const buttons = html`<button name="do" value="codes">New recovery codes</button>
    <button class="danger" name="do" value="off">Turn it off</button>`;
  return {
    title,
    body: html`${faultSummary(faults)}
<p><span class="tag good">On</span></p>
<p>${person.recoveryCodes} of your recovery codes are left. New ones replace them.</p>
${passwordForm(session, '/account/second-factor/change', buttons, faults.password)}
${back}`,
  };
}

/** The only time that recovery codes are shown. */
export function recoveryCodesPage(codes: readonly string[]): Page {
  return {
    title: 'Recovery codes',
    body: html`<p class="notice wait">Save these codes somewhere safe now. They are not shown again.</p>
<p>Each of them replaces a code of the app once, should you lose your phone.</p>
<ul class="codes code">${codes.map((code) => html`<li>${code}</li>`)}</ul>
<div class="actions"><a class="button" href="/account/second-factor">I have saved them</a></div>`,
  };
}

function passwordForm(
  session: BrowserSession,
  action: string,
  buttons: Html,
  error: string | undefined,
): Html {
  return html`<form method="post" action="${action}" novalidate>
  ${csrfField(session)}
  ${fieldHtml({ name: 'password', label: 'Your password', type: 'password', autocomplete: 'current-password', error })}
  <div class="actions">${buttons}</div>
</form>`;
}
