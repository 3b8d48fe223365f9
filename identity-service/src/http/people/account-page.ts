import type { BusinessProfile, VerificationState } from '../../applications/business-profile.ts';
import type { Membership, Person } from '../../people/person.ts';
import { type Html, html } from '../pages/html.ts';
import type { Page } from '../pages/layout.ts';

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
export function stateTag(state: VerificationState): Html {
  return states[state];
}

export function accountPage(person: Person, businesses: readonly OwnBusiness[]): Page {
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
