import type { BusinessProfile } from '../../applications/business-profile.ts';
import type { Faults } from '../../people/faults.ts';
import type { LegalFacts } from '../../people/legal-facts.ts';
import { csrfField, faultSummary, fieldHtml } from '../pages/form.ts';
import { type Html, html } from '../pages/html.ts';
import type { Page } from '../pages/layout.ts';
import type { BrowserSession } from '../session.ts';
import { stateTag } from './account-page.ts';

export interface VerificationView {
  readonly session: BrowserSession;
  readonly business: BusinessProfile;
  readonly typed?: LegalFacts;
  readonly faults?: Faults;
}

export function verificationPage(view: VerificationView): Page {
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
  return html`${faultSummary(faults)}
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
