import { contentSecurityPolicy } from '@platform/service-kit/http/security-headers.ts';
import type { BusinessProfile } from '../clients/business.ts';
import { isLoopbackHttp } from '../credentials/applications/redirect-uri.ts';
import type { ApiScopes } from '../platform/scope.ts';
import { csrfField, type Html, html } from '../web/html.ts';
import type { Page } from '../web/pages.ts';
import type { BrowserSession } from '../web/sessions/browser-session.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { Candidate } from './consent.ts';
import type { Presentation } from './presentation.ts';

interface Consent {
  readonly apiScopes: ApiScopes;
  readonly presentation: Presentation;
  /** Other verified businesses whose names look like those of the application or its owner. */
  readonly lookalikes: readonly BusinessProfile[];
  readonly request: AuthorizationRequest;
  readonly candidates: readonly [Candidate, ...Candidate[]];
  /** As in `Decision`. */
  readonly lacksSecondFactor: boolean;
  /** Changes since the page that was sent back; undefined for the first page. */
  readonly changed: readonly string[] | undefined;
  /** Sealed, for the form. */
  readonly ticket: string;
  readonly session: BrowserSession;
}

/** The consent page: the application, its scopes, the business, and the redirect URI's host. */
export function consentPage(consent: Consent): Page {
  const { presentation, lookalikes, request, candidates, ticket, session } = consent;
  const { name, description, company, publisher } = presentation;
  return {
    title: `Connect ${name}?`,
    body: html`${changesNotice(consent)}
${lookalikes.length > 0 && lookalikeNotice(lookalikes)}
<dl>
  <dt>App</dt><dd><strong>${name}</strong></dd>
  <dt>Verified company</dt><dd><strong>${company}</strong></dd>
  <dt>Returns to</dt><dd><strong>${hostText(request.redirectUri)}</strong></dd>
  <dt>Offered by</dt><dd>${publisher}</dd>
  <dt>In its words</dt><dd>${description}</dd>
</dl>
<form method="post" action="/oauth/consent">
  ${csrfField(session)}
  <input type="hidden" name="ticket" value="${ticket}">
  ${businessChoice(candidates)}
  ${consent.lacksSecondFactor && factorHint}
  <h2 id="scopes">${name} will be able to</h2>
  <ul aria-labelledby="scopes">${request.scopes.map((scope) => scopeItem(scope, consent))}</ul>
  <p class="hint">It keeps this access until you disconnect it, which you can do at any time in your account.</p>
  <div class="actions">
    <button name="decision" value="approve">Approve</button>
    <button class="second" name="decision" value="deny" formnovalidate>Deny</button>
  </div>
</form>`,
  };
}

/** Warns of names that could be taken for those of others. */
function lookalikeNotice(lookalikes: readonly BusinessProfile[]): Html {
  const others = lookalikes.map(({ accountHolder, username }) => `${accountHolder} (@${username})`);
  return html`<p class="notice wait">This name looks like that of another verified business: ${others.join(', ')}.
Approve only if you expected this company.</p>`;
}

/** Changes since the approval, or since the page that the person has sent back. */
function changesNotice({ changed, candidates }: Pick<Consent, 'changed' | 'candidates'>): Html | false {
  if (changed !== undefined) {
    return html`<p class="notice wait" role="alert">The app changed while you were reading, so nothing is approved yet.
${changed.join(' ')}</p>`;
  }
  const [{ changes }, ...others] = candidates;
  // With several businesses it depends on the choice.
  if (others.length > 0 || changes.length === 0) return false;
  return html`<p class="notice wait">This app has changed since you approved it. ${changes.join(' ')}</p>`;
}

function hostText(redirectUri: string): Html {
  const url = new URL(redirectUri);
  return isLoopbackHttp(url) ? html`this computer (${url.host})` : html`${url.host}`;
}

function businessChoice(candidates: Consent['candidates']): Html {
  const [only, ...others] = candidates;
  if (others.length === 0) {
    return html`<input type="hidden" name="business" value="${only.business.id}">
  <h2>For your business</h2>
  <p><strong>${only.business.accountHolder}</strong> (@${only.business.username})</p>`;
  }
  return html`<fieldset>
    <legend>For which business?</legend>
    ${candidates.map(
      ({ business }) => html`<label class="choice">
      <input type="radio" name="business" value="${business.id}" required>
      <span>${business.accountHolder} (@${business.username})</span>
    </label>`,
    )}
  </fieldset>`;
}

const factorHint = html`<p class="hint">Businesses that require a second factor are not listed:
  turn one on in <a href="/dashboard/profile">your profile</a> to connect them.</p>`;

/** New scopes are marked when there is one business; with several they depend on the choice. */
function scopeItem(scope: string, { apiScopes, candidates }: Consent): Html {
  const text = apiScopes.get(scope);
  if (text === undefined) throw new Error(`a person would approve ${scope}, which has no text`);
  const [only, ...others] = candidates;
  const isNew = others.length === 0 && only.approved.length > 0 && !only.approved.includes(scope);
  return html`<li>${text}${isNew && html` <span class="tag">new</span>`}</li>`;
}

/**
 * Content-Security-Policy of the consent page. Chromium applies `form-action` to every redirect after a form: to the
 * redirect URI and to redirects of the application from there. So it names schemes, not hosts.
 */
export function consentPolicy(redirectUri: string): string {
  const schemes = redirectUri.startsWith('https:') ? 'https:' : 'https: http:';
  return contentSecurityPolicy({ 'form-action': `'self' ${schemes}` });
}
