import type { Application } from '../../applications/application.ts';
import type { BusinessProfile } from '../../applications/business-profile.ts';
import { isLoopbackHttp } from '../../applications/redirect-uri.ts';
import type { Scope } from '../../authorization/scope.ts';
import type { AuthorizationRequest } from '../../oauth/authorization/authorization-request.ts';
import type { Candidate } from '../../oauth/authorization/decide-authorization.ts';
import { scopeWords } from '../../oauth/authorization/scope-words.ts';
import { csrfField } from '../pages/form.ts';
import { type Html, html } from '../pages/html.ts';
import type { Page } from '../pages/layout.ts';
import type { BrowserSession } from '../session.ts';

export interface Consent {
  readonly application: Application;
  /** Owner of the application; absent when business-service knows it no more. */
  readonly owner: BusinessProfile | undefined;
  readonly request: AuthorizationRequest;
  readonly candidates: readonly [Candidate, ...Candidate[]];
  /** Sealed, for the form. */
  readonly ticket: string;
  readonly session: BrowserSession;
}

/** The page that asks: who wants what, for which business, and where the answer goes. */
export function consentPage({ application, owner, request, candidates, ticket, session }: Consent): Page {
  const { name, description } = application;
  return {
    title: `Connect ${name}?`,
    body: html`<dl>
  <dt>Application</dt><dd><strong>${name}</strong></dd>
  <dt>In its words</dt><dd>${description}</dd>
  <dt>Offered by</dt><dd>${ownerText(owner)}</dd>
  <dt>Returns to</dt><dd>${hostText(request.redirectUri)}</dd>
</dl>
<form method="post" action="/oauth/consent">
  ${csrfField(session)}
  <input type="hidden" name="ticket" value="${ticket}">
  ${businessChoice(candidates)}
  <h2 id="scopes">${name} will be able to</h2>
  <ul aria-labelledby="scopes">${request.scopes.map((scope) => scopeItem(scope, candidates))}</ul>
  <p class="hint">It keeps this access until you disconnect it, which you can do at any time in your account.</p>
  <div class="actions">
    <button name="decision" value="approve">Approve</button>
    <button class="second" name="decision" value="deny">Deny</button>
  </div>
</form>`,
  };
}

function ownerText(owner: BusinessProfile | undefined): Html {
  return owner === undefined ? html`unknown` : html`${owner.accountHolder} (@${owner.username})`;
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

/** With one business it is known what is new; with several it depends on the choice. */
function scopeItem(scope: Scope, candidates: Consent['candidates']): Html {
  const [only, ...others] = candidates;
  const isNew = others.length === 0 && only.approved.length > 0 && !only.approved.includes(scope);
  return html`<li>${scopeWords[scope]}${isNew && html` <span class="tag">new</span>`}</li>`;
}
