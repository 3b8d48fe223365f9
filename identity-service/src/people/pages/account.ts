import { AppError } from '@platform/service-kit/app-error.ts';
import { HttpError } from '@platform/service-kit/http/errors.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import {
  type BusinessProfile,
  type FindBusiness,
  findBusinesses,
  type VerificationState,
} from '../../platform/businesses.ts';
import type { FieldErrors } from '../../platform/text.ts';
import { type BrowserSession, personOf, requirePerson } from '../../sessions/browser-session.ts';
import { exactRouter } from '../../web/app.ts';
import { csrfField, errorSummary, fieldHtml, type Html, html } from '../../web/html.ts';
import { fieldsOf, queryParameter } from '../../web/input.ts';
import { handle, type Page, type PageResponse } from '../../web/pages.ts';
import type { LegalFacts, Membership, Person } from '../person.ts';
import type { PersonStore } from '../store.ts';
import { type VerifyBusinessDeps, verifyBusiness } from '../verification.ts';
import { personActor } from './sessions.ts';

/** A business of the person; without a profile when business-service does not answer. */
export interface OwnBusiness extends Membership {
  readonly profile: BusinessProfile | undefined;
}

const states: Readonly<Record<VerificationState, Html>> = {
  unverified: html`<span class="tag wait">Not verified</span>`,
  pending: html`<span class="tag wait">Being verified</span>`,
  verified: html`<span class="tag good">Verified</span>`,
  rejected: html`<span class="tag bad">Verification rejected</span>`,
};

/** Where the verification of a business stands, in one word. */
function stateTag(state: VerificationState): Html {
  return states[state];
}

function accountPage(person: Person, businesses: readonly OwnBusiness[]): Page {
  return {
    title: 'Account',
    body: html`<dl>
  <dt>Name</dt><dd>${person.name}</dd>
  <dt>Email address</dt><dd>${person.email}</dd>
</dl>
<h2>Businesses</h2>
${businesses.length === 0 ? html`<p>You belong to no business.</p>` : html`<ul class="rows">${businesses.map(businessRow)}</ul>`}
<h2>Access</h2>
<ul class="rows">
  <li><p>Connected applications</p><a class="button second" href="/account/applications" aria-label="Show connected applications">Show</a></li>
  <li><p>Password</p><a class="button second" href="/account/password" aria-label="Change password">Change</a></li>
  <li>
    <p>Second factor <span class="soft">${person.secondFactor === 'on' ? 'on' : 'off'}</span></p>
    <a class="button second" href="/account/second-factor">${person.secondFactor === 'on' ? 'Manage' : 'Turn on'}</a>
  </li>
  <li><p>Sessions</p><a class="button second" href="/account/sessions" aria-label="Show sessions">Show</a></li>
</ul>`,
  };
}

function businessRow({ businessId, role, profile }: OwnBusiness): Html {
  if (profile === undefined) {
    return html`<li><p>Business ${businessId} <span class="soft">Its state is not available right now.</span></p></li>`;
  }
  const { accountHolder, username, verification } = profile;
  const isOpen = verification === 'unverified' || verification === 'rejected';
  const [label, longLabel] = isOpen ? ['Verify', 'Verify'] : ['Show', 'Show the verification of'];
  return html`<li>
  <div>
    <p><strong>${accountHolder}</strong> ${stateTag(verification)}</p>
    <p class="soft">${username} · ${role}</p>
  </div>
  ${
    role === 'owner' &&
    html`<a class="button second" href="/account/verification?business=${businessId}"
    aria-label="${longLabel} ${accountHolder}">${label}</a>`
  }
</li>`;
}

interface VerificationView {
  readonly session: BrowserSession;
  readonly business: BusinessProfile;
  readonly typed?: LegalFacts;
  readonly faults?: FieldErrors;
}

function verificationPage(view: VerificationView): Page {
  const { accountHolder, verification } = view.business;
  return {
    title: 'Business verification',
    body: html`<dl>
  <dt>Business</dt><dd>${accountHolder}</dd>
  <dt>State</dt><dd>${stateTag(verification)}</dd>
</dl>
${explanation(view.business)}
${verification === 'unverified' || verification === 'rejected' ? factsForm(view) : undefined}
<p class="below"><a href="/account">Back to your account</a></p>`,
  };
}

function explanation({ verification, rejectionReason }: BusinessProfile): Html {
  switch (verification) {
    case 'verified':
      return html`<p>The business is verified. It may register applications, and connect those of others.</p>`;
    case 'pending':
      return html`<p>We are looking at what you submitted. There is nothing to do until then.</p>`;
    case 'rejected':
      return html`<div class="notice bad"><p>We could not verify the business: ${rejectionReason}</p>
        Correct it and submit it again.</div>`;
    case 'unverified':
      return html`<p>Before it may use applications, the business has to be verified as a legal entity.
        API keys work without.</p>`;
  }
}

function factsForm({ session, business, typed, faults = {} }: VerificationView): Html {
  return html`${errorSummary(faults)}
<form method="post" action="/account/verification" novalidate>
  ${csrfField(session)}
  <input type="hidden" name="business" value="${business.id}">
  ${fieldHtml({
    name: 'legal_name',
    label: 'Registered name',
    autocomplete: 'organization',
    value: typed?.legalName,
    error: faults.legal_name,
  })}
  ${fieldHtml({
    name: 'registration_number',
    label: 'Number in the register',
    autocomplete: 'off',
    hint: 'As in the commercial register, for example HRB 12345.',
    value: typed?.registrationNumber,
    error: faults.registration_number,
  })}
  ${fieldHtml({
    name: 'country',
    label: 'Country',
    autocomplete: 'country',
    hint: 'Its two-letter code, as DE or US.',
    value: typed?.country,
    error: faults.country,
  })}
  <div class="actions"><button>Submit for verification</button></div>
</form>`;
}

/** Businesses that one page shows. */
const maxShown = 50;

/** A person's businesses with what business-service says of them; without that where it does not answer. */
export async function ownBusinesses(
  people: Pick<PersonStore, 'memberships'>,
  findBusiness: FindBusiness,
  personId: string,
  requestId: string,
): Promise<OwnBusiness[]> {
  const memberships = (await people.memberships(personId)).slice(0, maxShown);
  const ids = memberships.map(({ businessId }) => businessId);
  const profiles = await findBusinesses(findBusiness, ids, requestId);
  return memberships.map((membership) => ({ ...membership, profile: profiles.get(membership.businessId) }));
}

export interface AccountRoutesDeps extends VerifyBusinessDeps {
  readonly findBusiness: FindBusiness;
}

const factsShape = z.strictObject({
  business: z.string().regex(/^[1-9]\d{0,9}$/),
  legal_name: z.string(),
  registration_number: z.string(),
  country: z.string(),
});

/** The account at a glance, and the verification of the person's businesses. */
export function accountRoutes(deps: AccountRoutesDeps): Router {
  const router = exactRouter();
  router.get(
    '/account',
    requirePerson,
    handle((_req, res) => showAccount(deps, res)),
  );
  router.get(
    '/account/verification',
    requirePerson,
    handle((req, res) => showVerification(deps, req, res)),
  );
  router.post(
    '/account/verification',
    requirePerson,
    handle((_req, res) => postVerification(deps, res)),
  );
  return router;
}

async function showAccount(
  { people, findBusiness }: AccountRoutesDeps,
  res: Response,
): Promise<PageResponse> {
  const personId = personOf(res);
  const { requestId } = res.locals;
  const [person, businesses] = await Promise.all([
    people.find(personId),
    ownBusinesses(people, findBusiness, personId, requestId),
  ]);
  if (person === undefined) throw new AppError('internal', 'person_gone', 'unexpected error');
  return { page: accountPage(person, businesses) };
}

async function showVerification(deps: AccountRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const wanted = queryParameter(req, 'business');
  const owned = await ownedBusinesses(deps, res);
  const businessId = wanted === undefined ? owned[0] : owned.find((id) => String(id) === wanted);
  return { page: await verificationOf(deps, res, businessId) };
}

async function postVerification(deps: AccountRoutesDeps, res: Response): Promise<PageResponse> {
  const fields = fieldsOf(factsShape, res.locals.form);
  const personId = personOf(res);
  const businessId = Number(fields.business);
  const typed = {
    legalName: fields.legal_name,
    registrationNumber: fields.registration_number,
    country: fields.country,
  };
  const outcome = await verifyBusiness(deps, {
    personId,
    businessId,
    typed,
    actor: personActor(res, personId),
  });
  switch (outcome.kind) {
    case 'not_owner':
      throw noSuchBusiness();
    case 'refused': {
      const { faults } = outcome;
      return { status: 400, page: await verificationOf(deps, res, businessId, { typed, faults }) };
    }
    // Handed in twice, the second time finds it being judged: the page says so.
    case 'submitted':
    case 'not_now':
      return { redirect: `/account/verification?business=${businessId}` };
  }
}

async function ownedBusinesses({ people }: AccountRoutesDeps, res: Response): Promise<number[]> {
  const memberships = await people.memberships(personOf(res));
  return memberships.filter(({ role }) => role === 'owner').map(({ businessId }) => businessId);
}

async function verificationOf(
  { findBusiness }: AccountRoutesDeps,
  res: Response,
  businessId: number | undefined,
  more: Pick<VerificationView, 'typed' | 'faults'> = {},
) {
  const { session, requestId } = res.locals;
  const business = businessId === undefined ? undefined : await findBusiness(businessId, requestId);
  if (business === undefined) throw noSuchBusiness();
  return verificationPage({ session, business, ...more });
}

function noSuchBusiness(): HttpError {
  return new HttpError(404, 'You own no such business.');
}
