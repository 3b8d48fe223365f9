import { HttpError } from '@platform/service-kit/http/errors.ts';
import { contentSecurityPolicy } from '@platform/service-kit/http/security-headers.ts';
import type { Sealer } from '@platform/service-kit/sealer.ts';
import type { RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { Application } from '../applications/application.ts';
import { isLoopbackHttp } from '../applications/redirect-uri.ts';
import { factorMissingError } from '../people/person.ts';
import type {
  BusinessProfile,
  BusinessRecord,
  FindBusinessRecord,
  FindLookalikes,
} from '../platform/businesses.ts';
import { type Scope, scopeWords } from '../platform/scope.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import type { Throttle } from '../platform/throttle.ts';
import { type BrowserSession, personOf } from '../sessions/browser-session.ts';
import type { Suspended } from '../suspensions/suspension.ts';
import type { OAuthFailures } from '../traffic/oauth-failures.ts';
import type { OAuthReason } from '../traffic/oauth-reason.ts';
import { csrfField, type Html, html } from '../web/html.ts';
import { fieldsOf } from '../web/input.ts';
import type { Page } from '../web/pages.ts';
import {
  type AuthorizationRequest,
  type AuthorizationResponse,
  type ReturnAddress,
  redirectTarget,
} from './authorization-request.ts';
import type { AuthorizationStore } from './authorization-store.ts';
import {
  type Approval,
  approveAuthorization,
  type Candidate,
  denyAuthorization,
  openTicket,
} from './consent.ts';

/** Redirects to the application (contract 4.2). `res.redirect` would encode the state again. */
export function returnToApplication(
  res: Response,
  address: ReturnAddress,
  response: AuthorizationResponse,
  issuer: string,
): void {
  res
    .status(303)
    .set('Location', redirectTarget(address, response, issuer))
    .end();
}

interface Consent {
  readonly application: Application;
  /** Owner of the application; undefined when business-service does not know it. */
  readonly owner: BusinessRecord | undefined;
  /** Other verified businesses whose names look like those of the application or its owner. */
  readonly lookalikes: readonly BusinessProfile[];
  readonly request: AuthorizationRequest;
  readonly candidates: readonly [Candidate, ...Candidate[]];
  /** As in `Decision`. */
  readonly lacksSecondFactor: boolean;
  /** Sealed, for the form. */
  readonly ticket: string;
  readonly session: BrowserSession;
}

/** The consent page: the application, its scopes, the business, and the redirect URI's host. */
export function consentPage(consent: Consent): Page {
  const { application, owner, lookalikes, request, candidates, ticket, session } = consent;
  const { name, description } = application;
  return {
    title: `Connect ${name}?`,
    body: html`${lookalikes.length > 0 && lookalikeNotice(lookalikes)}
<dl>
  <dt>Application</dt><dd><strong>${name}</strong></dd>
  <dt>Verified company</dt><dd><strong>${legalText(owner)}</strong></dd>
  <dt>Returns to</dt><dd><strong>${hostText(request.redirectUri)}</strong></dd>
  <dt>Offered by</dt><dd>${ownerText(owner)}</dd>
  <dt>In its words</dt><dd>${description}</dd>
</dl>
<form method="post" action="/oauth/consent">
  ${csrfField(session)}
  <input type="hidden" name="ticket" value="${ticket}">
  ${businessChoice(candidates)}
  ${consent.lacksSecondFactor && factorHint}
  <h2 id="scopes">${name} will be able to</h2>
  <ul aria-labelledby="scopes">${request.scopes.map((scope) => scopeItem(scope, candidates))}</ul>
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

/** Company behind the application as an operator has checked it, beside names that its owner chose. */
function legalText(owner: BusinessRecord | undefined): Html {
  if (owner?.verification !== 'verified' || owner.facts === undefined) return html`not verified`;
  return html`${owner.facts.legalName}, ${owner.facts.country}`;
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

const factorHint = html`<p class="hint">Businesses that require a second factor are not listed:
  turn one on in <a href="/dashboard/profile">your profile</a> to connect them.</p>`;

/** New scopes are marked when there is one business; with several they depend on the choice. */
function scopeItem(scope: Scope, candidates: Consent['candidates']): Html {
  const [only, ...others] = candidates;
  const isNew = others.length === 0 && only.approved.length > 0 && !only.approved.includes(scope);
  return html`<li>${scopeWords[scope]}${isNew && html` <span class="tag">new</span>`}</li>`;
}

/** The authorization response to an approval. @throws HttpError when the consent page is out of date */
export function approvalResponse(approval: Approval): AuthorizationResponse {
  switch (approval.kind) {
    case 'approved':
      return { code: approval.code };
    case 'denied':
      return { error: 'access_denied', description: approval.reason };
    case 'suspended':
      throw suspendedPage(approval.what);
    case 'second_factor_missing':
      throw factorMissingError();
    case 'stale':
      throw staleConsent();
  }
}

/** Submitted before, shown to another person, or changed: no redirect. */
function staleConsent(): HttpError {
  return new HttpError(
    403,
    'This page was already used or is out of date. Go back to the application and start again.',
  );
}

const suspendedPageTexts: Readonly<Record<Suspended, string>> = {
  application:
    'This application is suspended, so no business can connect to it for the moment. Existing connections are kept, and work again when it is resumed.',
  connection:
    'Your business has suspended its connection with this application. An owner can resume it in the dashboard, under Connected apps; the application then works as before.',
};

/** An authorization request that ends with a page for the person, not with a redirect to the application. */
export class AuthorizationRefused extends HttpError {
  /** For the owner of the application. */
  readonly reason: OAuthReason;

  constructor(status: number, publicText: string, reason: OAuthReason) {
    super(status, publicText);
    this.reason = reason;
  }
}

/** While something is suspended people see why; no redirect to an application that may not act. */
export function suspendedPage(what: Suspended): HttpError {
  return new AuthorizationRefused(403, suspendedPageTexts[what], `oauth_${what}_suspended`);
}

export interface AuthorizeDeps {
  readonly store: AuthorizationStore;
  readonly findBusiness: FindBusinessRecord;
  readonly findLookalikes: FindLookalikes;
  readonly hasher: SecretHasher;
  readonly sealer: Sealer;
  readonly throttle: Throttle;
  readonly failures: OAuthFailures;
  readonly codeLifetimeSeconds: number;
  /** Public origin of the platform. */
  readonly issuer: string;
}

const consentForm = z.strictObject({
  ticket: z.string(),
  business: z.string().optional(),
  decision: z.enum(['approve', 'deny']),
});

/** POST /oauth/consent: the decision of the person. Everything else comes from the sealed ticket. */
export function consentEndpoint(deps: AuthorizeDeps): RequestHandler {
  return async (_req, res) => {
    const { clientIp, requestId, form, session } = res.locals;
    const fields = fieldsOf(consentForm, form);
    const personId = personOf(res);
    const ticket = openTicket(deps.sealer, fields.ticket, { sessionId: session.id, personId });
    if (ticket === undefined) throw staleConsent();
    const { id: consentId, request, businessIds } = ticket;
    if (fields.decision === 'deny') {
      const denial = await denyAuthorization(deps, consentId, request);
      return returnToApplication(res, request, approvalResponse(denial), deps.issuer);
    }
    const businessId = businessIds.find((candidate) => String(candidate) === fields.business);
    if (businessId === undefined) throw staleConsent();
    const actor = {
      kind: 'person',
      id: personId,
      clientIp,
      requestId,
    } as const;
    const approval = await approveAuthorization(deps, { actor, personId, businessId, request, consentId });
    returnToApplication(res, request, approvalResponse(approval), deps.issuer);
  };
}

/**
 * Content-Security-Policy of the consent page. Chromium applies `form-action` to every redirect after a form: to the
 * redirect URI and to redirects of the application from there. So it names schemes, not hosts.
 */
export function consentPolicy(redirectUri: string): string {
  const schemes = redirectUri.startsWith('https:') ? 'https:' : 'https: http:';
  return contentSecurityPolicy({ 'form-action': `'self' ${schemes}` });
}
