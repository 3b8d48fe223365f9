import { HttpError } from '@platform/service-kit/http/errors.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import {
  type BusinessProfile,
  type FindBusiness,
  findBusinesses,
  type LegalFacts,
  type VerificationState,
} from '../../clients/business.ts';
import { checkRequiredFactor, type Membership } from '../../platform/membership.ts';
import type { FieldErrors } from '../../platform/text.ts';
import { exactRouter } from '../../web/app.ts';
import { csrfField, errorSummary, fieldHtml, type Html, html } from '../../web/html.ts';
import { fieldsOf, queryParameter } from '../../web/input.ts';
import { handle, type Page, type PageResponse } from '../../web/pages.ts';
import {
  type BrowserSession,
  personActor,
  personOf,
  requirePerson,
} from '../../web/sessions/browser-session.ts';
import type { PersonStore } from '../store.ts';
import { type VerifyBusinessDeps, verifyBusiness } from '../verification.ts';

/** A business of the person; without a profile while business-service is unavailable. */
export interface OwnBusiness extends Membership {
  readonly profile: BusinessProfile | undefined;
}

const stateTags: Readonly<Record<VerificationState, Html>> = {
  unverified: html`<span class="tag wait">Not verified</span>`,
  pending: html`<span class="tag wait">In review</span>`,
  verified: html`<span class="tag good">Verified</span>`,
  rejected: html`<span class="tag bad">Verification rejected</span>`,
};

interface VerificationView {
  readonly session: BrowserSession;
  readonly business: BusinessProfile;
  readonly submitted?: LegalFacts;
  readonly errors?: FieldErrors;
}

function verificationPage(view: VerificationView): Page {
  const { accountHolder, verification } = view.business;
  return {
    title: 'Business verification',
    body: html`<dl>
  <dt>Business</dt><dd>${accountHolder}</dd>
  <dt>State</dt><dd>${stateTags[verification]}</dd>
</dl>
${explanation(view.business)}
${verification === 'unverified' || verification === 'rejected' ? factsForm(view) : undefined}
<p class="below"><a href="/dashboard/profile">Back to your account</a></p>`,
  };
}

function explanation({ verification, rejectionReason }: BusinessProfile): Html {
  switch (verification) {
    case 'verified':
      return html`<p>The business is verified. It can register apps and connect apps of other businesses.</p>`;
    case 'pending':
      return html`<p>Your submission is being reviewed. No action is needed.</p>`;
    case 'rejected':
      return html`<div class="notice bad"><p>We could not verify the business: ${rejectionReason}</p>
        Correct the details and submit them again.</div>`;
    case 'unverified':
      return html`<p>The business must be verified as a legal entity before it can use apps.
        API keys work without verification.</p>`;
  }
}

function factsForm({ session, business, submitted, errors = {} }: VerificationView): Html {
  return html`${errorSummary(errors)}
<form method="post" action="/account/verification" novalidate>
  ${csrfField(session)}
  <input type="hidden" name="business" value="${business.id}">
  ${fieldHtml({
    name: 'legal_name',
    label: 'Registered name',
    autocomplete: 'organization',
    value: submitted?.legalName,
    error: errors.legal_name,
  })}
  ${fieldHtml({
    name: 'registration_number',
    label: 'Registration number',
    autocomplete: 'off',
    hint: 'From the commercial register, for example HRB 12345.',
    value: submitted?.registrationNumber,
    error: errors.registration_number,
  })}
  ${fieldHtml({
    name: 'country',
    label: 'Country',
    autocomplete: 'country',
    hint: 'Two-letter code, such as DE or US.',
    value: submitted?.country,
    error: errors.country,
  })}
  <div class="actions"><button>Submit for verification</button></div>
</form>`;
}

/** Most businesses that are looked up for one page. */
const maxLookedUp = 50;

/**
 * A person's businesses with their profiles. With very many businesses only the latest have profiles, and while
 * business-service is unavailable none have.
 */
export async function ownBusinesses(
  people: Pick<PersonStore, 'memberships'>,
  findBusiness: FindBusiness,
  personId: string,
  requestId: string,
): Promise<OwnBusiness[]> {
  const memberships = await people.memberships(personId);
  const ids = memberships.slice(-maxLookedUp).map(({ businessId }) => businessId);
  const profiles = await findBusinesses(findBusiness, ids, requestId);
  return memberships.map((membership) => ({ ...membership, profile: profiles.get(membership.businessId) }));
}

interface AccountRoutesDeps extends VerifyBusinessDeps {
  readonly findBusiness: FindBusiness;
}

const factsShape = z.strictObject({
  business: z.string().regex(/^[1-9]\d{0,9}$/),
  legal_name: z.string(),
  registration_number: z.string(),
  country: z.string(),
});

/** The former path of the account page, and the page for verifying the person's businesses. */
export function accountRoutes(deps: AccountRoutesDeps): Router {
  const router = exactRouter();
  router.get(
    '/account',
    handle(() => ({ redirect: '/dashboard/profile' })),
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

async function showVerification(deps: AccountRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const requested = queryParameter(req, 'business');
  const owned = await ownedBusinesses(deps, res);
  const chosen =
    requested === undefined ? owned[0] : owned.find(({ businessId }) => String(businessId) === requested);
  if (chosen === undefined) throw noSuchBusiness();
  checkRequiredFactor(chosen);
  return { page: await verificationOf(deps, res, chosen.businessId) };
}

async function postVerification(deps: AccountRoutesDeps, res: Response): Promise<PageResponse> {
  const fields = fieldsOf(factsShape, res.locals.form);
  const personId = personOf(res);
  const businessId = Number(fields.business);
  const submitted = {
    legalName: fields.legal_name,
    registrationNumber: fields.registration_number,
    country: fields.country,
  };
  const outcome = await verifyBusiness(deps, {
    personId,
    businessId,
    submitted,
    actor: personActor(res, personId),
  });
  switch (outcome.kind) {
    case 'not_owner':
      throw noSuchBusiness();
    case 'refused': {
      const { errors } = outcome;
      return { status: 400, page: await verificationOf(deps, res, businessId, { submitted, errors }) };
    }
    // A second submission finds the first one pending; the page shows that.
    case 'submitted':
    case 'not_now':
      return { redirect: `/account/verification?business=${businessId}` };
  }
}

async function ownedBusinesses({ people }: AccountRoutesDeps, res: Response): Promise<Membership[]> {
  const memberships = await people.memberships(personOf(res));
  return memberships.filter(({ role }) => role === 'owner');
}

async function verificationOf(
  { findBusiness }: AccountRoutesDeps,
  res: Response,
  businessId: number,
  more: Pick<VerificationView, 'submitted' | 'errors'> = {},
) {
  const { session, requestId } = res.locals;
  const business = await findBusiness(businessId, requestId);
  if (business === undefined) throw noSuchBusiness();
  return verificationPage({ session, business, ...more });
}

function noSuchBusiness(): HttpError {
  return new HttpError(404, 'You do not own this business.');
}
