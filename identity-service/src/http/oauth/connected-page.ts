import type { BusinessProfile } from '../../applications/business-profile.ts';
import type { Grant } from '../../grants/grant.ts';
import { scopeWords } from '../../oauth/authorization/scope-words.ts';
import { csrfField } from '../pages/form.ts';
import { type Html, html } from '../pages/html.ts';
import type { Page } from '../pages/layout.ts';
import { momentHtml } from '../pages/moment.ts';
import type { BrowserSession } from '../session.ts';

/** A business and the applications that it is connected to. */
export interface ConnectedBusiness {
  readonly business: BusinessProfile;
  readonly grants: readonly Grant[];
}

/** The page of connected applications. @param notice of what was just done */
export function connectedPage(
  businesses: readonly ConnectedBusiness[],
  session: BrowserSession,
  notice: string | undefined,
): Page {
  return {
    title: 'Connected applications',
    body: html`${notice !== undefined && html`<p class="notice good" role="status">${notice}</p>`}
<p>Applications that you let act for your business. Disconnecting one ends its access at once.</p>
${businesses.map((each) => businessSection(each, session))}
<p class="below"><a href="/account">Back to your account</a></p>`,
  };
}

function businessSection({ business, grants }: ConnectedBusiness, session: BrowserSession): Html {
  return html`<h2>${business.accountHolder} (@${business.username})</h2>
${grants.length === 0 ? html`<p class="soft">Nothing is connected.</p>` : html`<ul class="rows">${grants.map((grant) => grantRow(grant, session))}</ul>`}`;
}

function grantRow(grant: Grant, session: BrowserSession): Html {
  return html`<li>
  <div>
    <p><strong id="${grant.id}">${grant.applicationName}</strong></p>
    <p class="soft">${lastUse(grant)}</p>
  </div>
  <ul aria-label="What ${grant.applicationName} may do">${grant.scopes.map(
    (scope) =>
      html`<li>${scopeWords[scope]} <span class="soft">(${grant.scopesUsed.includes(scope) ? 'used' : 'not used yet'})</span></li>`,
  )}</ul>
  <form method="post" action="/account/applications">
    ${csrfField(session)}
    <input type="hidden" name="business" value="${grant.businessId}">
    <input type="hidden" name="grant" value="${grant.id}">
    <button class="danger" aria-describedby="${grant.id}">Disconnect</button>
  </form>
</li>`;
}

function lastUse({ approvedAt, lastUsedAt, lastUsedIp }: Grant): Html {
  const approved = html`Approved ${momentHtml(approvedAt)}.`;
  if (lastUsedAt === undefined) return html`${approved} Never used.`;
  return html`${approved} Last used ${momentHtml(lastUsedAt)} from ${lastUsedIp}.`;
}
