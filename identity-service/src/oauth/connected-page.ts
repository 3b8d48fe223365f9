import { HttpError } from '@platform/service-kit/http/errors.ts';
import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { BusinessProfile, FindBusiness } from '../clients/business.ts';
import { type DisconnectGrantDeps, disconnectGrant } from '../credentials/grants/end-grant.ts';
import { applicationSuspension, type Grant } from '../credentials/grants/grant.ts';
import { checkRequiredFactor } from '../platform/membership.ts';
import { type ApiScopes, notPartOfApi } from '../platform/scope.ts';
import { exactRouter } from '../web/app.ts';
import { csrfField, type Html, html } from '../web/html.ts';
import { fieldsOf, queryParameter } from '../web/input.ts';
import { handle, momentHtml, type Page, type PageResponse } from '../web/pages.ts';
import { type BrowserSession, personOf, requirePerson } from '../web/sessions/browser-session.ts';
import type { AuthorizationStore } from './authorization-store.ts';

/** A business and the applications that it is connected to. */
interface ConnectedBusiness {
  readonly business: BusinessProfile;
  /** Undefined where the business requires a second factor, which the person lacks. */
  readonly grants: readonly Grant[] | undefined;
}

/** The page of connected applications. @param notice result of the last action */
function connectedPage(
  apiScopes: ApiScopes,
  businesses: readonly ConnectedBusiness[],
  session: BrowserSession,
  notice: string | undefined,
): Page {
  return {
    title: 'Connected apps',
    body: html`${notice !== undefined && html`<p class="notice good" role="status">${notice}</p>`}
<p>Apps that you let act for your business. Disconnecting one ends its access at once.</p>
${businesses.map((each) => businessSection(apiScopes, each, session))}
<p class="below"><a href="/dashboard/profile">Back to your account</a></p>`,
  };
}

function businessSection(
  apiScopes: ApiScopes,
  { business, grants }: ConnectedBusiness,
  session: BrowserSession,
): Html {
  return html`<h2>${business.accountHolder} (@${business.username})</h2>
${grants === undefined ? factorMissingHint : grants.length === 0 ? html`<p class="soft">Nothing is connected.</p>` : html`<ul class="rows">${grants.map((grant) => grantRow(apiScopes, grant, session))}</ul>`}`;
}

const factorMissingHint = html`<p class="soft">This business requires a second factor, and you have none:
  turn one on in <a href="/dashboard/profile">your profile</a>.</p>`;

function grantRow(apiScopes: ApiScopes, grant: Grant, session: BrowserSession): Html {
  return html`<li>
  <div>
    <p><strong id="${grant.id}">${grant.applicationName}</strong></p>
    <p class="soft">${lastUse(grant)}</p>
    ${isStopped(grant) && html`<p class="soft">Suspended: the app has no access at the moment.</p>`}
  </div>
  <ul aria-label="Access of ${grant.applicationName}">${grant.scopes.map(
    (scope) =>
      html`<li>${apiScopes.get(scope) ?? scope} <span class="soft">(${useOf(apiScopes, grant, scope)})</span></li>`,
  )}</ul>
  <form method="post" action="/account/applications">
    ${csrfField(session)}
    <input type="hidden" name="business" value="${grant.businessId}">
    <input type="hidden" name="grant" value="${grant.id}">
    <button class="danger" aria-describedby="${grant.id}">Disconnect</button>
  </form>
</li>`;
}

function useOf(apiScopes: ApiScopes, { scopesUsed }: Grant, scope: string): string {
  if (!apiScopes.has(scope)) return notPartOfApi;
  return scopesUsed.includes(scope) ? 'used' : 'not used yet';
}

function isStopped(grant: Grant): boolean {
  return grant.suspendedAt !== undefined || applicationSuspension(grant) !== undefined;
}

function lastUse({ approvedAt, lastUsedAt, lastUsedIp }: Grant): Html {
  const approved = html`Approved ${momentHtml(approvedAt)}.`;
  if (lastUsedAt === undefined) return html`${approved} Never used.`;
  return html`${approved} Last used ${momentHtml(lastUsedAt)} from ${lastUsedIp}.`;
}

interface ConnectedPagesDeps extends DisconnectGrantDeps {
  readonly store: Pick<AuthorizationStore, 'ownedBusinesses'>;
  readonly findBusiness: FindBusiness;
  readonly apiScopes: ApiScopes;
}

const path = '/account/applications';

/** The pages on which owners see and disconnect applications. */
export function connectedPages(deps: ConnectedPagesDeps): Router {
  const router = exactRouter();
  router
    .route(path)
    .all(requirePerson)
    .get(handle((req, res) => showConnected(deps, req, res)))
    .post(handle((_req, res) => disconnect(deps, res)));
  return router;
}

const notices: Readonly<Record<string, string>> = {
  ended: 'Disconnected. The app no longer has access.',
  pending: 'Disconnected. All servers apply it within 30 seconds.',
};

async function showConnected(
  { store, grants, findBusiness, apiScopes }: ConnectedPagesDeps,
  req: Request,
  res: Response,
): Promise<PageResponse> {
  const { requestId } = res.locals;
  const owned = await store.ownedBusinesses(personOf(res));
  const businesses = await Promise.all(
    owned.map(async ({ businessId: id, lacksSecondFactor }) => {
      const [business, connected] = await Promise.all([
        findBusiness(id, requestId),
        lacksSecondFactor ? undefined : grants.list(id),
      ]);
      return business && { business, grants: connected };
    }),
  );
  const notice = notices[queryParameter(req, 'done') ?? ''];
  const known = businesses.filter((business) => business !== undefined);
  return { page: connectedPage(apiScopes, known, res.locals.session, notice) };
}

const disconnectForm = z.strictObject({ business: z.string(), grant: z.string() });

async function disconnect(deps: ConnectedPagesDeps, res: Response): Promise<PageResponse> {
  const { business, grant } = fieldsOf(disconnectForm, res.locals.form);
  const personId = personOf(res);
  const owned = await deps.store.ownedBusinesses(personId);
  const ownership = owned.find((candidate) => String(candidate.businessId) === business);
  if (ownership === undefined || grant.includes('\0')) throw notYours();
  checkRequiredFactor(ownership);
  const { businessId } = ownership;
  const { clientIp, requestId } = res.locals;
  const actor = { kind: 'person', id: personId, clientIp, requestId } as const;
  const propagation = await disconnectGrant(deps, { actor, businessId, grantId: grant }).catch((error) => {
    throw toAppError(error).kind === 'not_found' ? notYours() : error;
  });
  return { redirect: `${path}?done=${propagation === 'confirmed' ? 'ended' : 'pending'}` };
}

function notYours(): HttpError {
  return new HttpError(404, 'There is no such connected app.');
}
