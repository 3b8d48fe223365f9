import { contentSecurityPolicy } from '@platform/service-kit/http/security-headers.ts';
import { passkeyScriptPath } from '../../web/assets.ts';
import { continueField, csrfField, type Html, html } from '../../web/html.ts';
import type { BrowserSession } from '../../web/sessions/browser-session.ts';
import type { RelyingParty } from './passkey.ts';

/** Where a login with a passkey begins and ends: alone, or after the password. */
export const loginPaths = {
  log_in: { options: '/login/passkey/options', finish: '/login/passkey' },
  second_factor: { options: '/login/second-factor/passkey/options', finish: '/login/second-factor/passkey' },
} as const;

export type LoginPurpose = keyof typeof loginPaths;

interface PasskeyForm {
  readonly purpose: LoginPurpose;
  /** Undefined where browsers have no passkeys: there is no form then. */
  readonly relyingParty: RelyingParty | undefined;
  readonly session: BrowserSession;
  /** Path after login. */
  readonly returnTo: string;
}

const labels = { log_in: 'Log in with a passkey', second_factor: 'Use your passkey' } as const;

/**
 * The form of a login with a passkey. Its script shows the form in browsers that support passkeys. On the login page it also
 * makes the browser offer passkeys in the field for the email address.
 */
export function passkeyForm({ purpose, relyingParty, session, returnTo }: PasskeyForm): Html | undefined {
  if (relyingParty === undefined) return undefined;
  const { options, finish } = loginPaths[purpose];
  return html`<form method="post" action="${finish}" data-passkey-options="${options}" data-origin="${relyingParty.origin}"
  ${purpose === 'log_in' && html`data-autofill`} hidden>
  ${csrfField(session)}
  ${continueField(returnTo)}
  <input type="hidden" name="credential" value="">
  <div class="actions"><button class="second">${labels[purpose]}</button></div>
  <p class="error" role="alert"></p>
</form>
<script src="${passkeyScriptPath}" defer></script>`;
}

/** Headers of a page with `passkeyForm`, which allow our own scripts and their requests for a challenge. */
export const passkeyPageHeaders = {
  'Content-Security-Policy': contentSecurityPolicy({ 'script-src': "'self'", 'connect-src': "'self'" }),
} as const;
