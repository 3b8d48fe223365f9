import { randomBytes } from 'node:crypto';
import type { Sealer } from '@platform/service-kit/secrets/sealer.ts';
import type { RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { FindBusinessRecord, FindLookalikes } from '../clients/business.ts';
import type { ReadApplication } from '../credentials/applications/store.ts';
import { factorMissingError } from '../platform/membership.ts';
import type { ApiScopes } from '../platform/scope.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import type { Throttle } from '../platform/throttle.ts';
import type { OAuthCalls } from '../traffic/oauth-calls.ts';
import { fieldsOf } from '../web/input.ts';
import { sendPage } from '../web/pages.ts';
import { personOf } from '../web/sessions/browser-session.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { AuthorizationStore } from './authorization-store.ts';
import {
  approveAuthorization,
  type Decision,
  decideAuthorization,
  denyAuthorization,
  stillAllows,
} from './consent.ts';
import { consentPage, consentPolicy } from './consent-page.ts';
import { type ConsentTicket, openTicket, sealTicket } from './consent-ticket.ts';
import {
  approvalResponse,
  redirectError,
  returnToApplication,
  staleConsent,
  suspendedPage,
} from './http-responses.ts';
import { type AuthorizationServer, OAuthError } from './oauth-error.ts';
import { changesSincePage, type Presentation, presentationOf } from './presentation.ts';
import { checkPagePermitted, type Prompt } from './prompt.ts';

export interface AuthorizeDeps extends AuthorizationServer {
  readonly store: AuthorizationStore;
  readonly apiScopes: ApiScopes;
  readonly findBusiness: FindBusinessRecord;
  readonly findLookalikes: FindLookalikes;
  readonly hasher: SecretHasher;
  readonly sealer: Sealer;
  readonly throttle: Throttle;
  readonly oauthLog: OAuthCalls;
  readonly codeLifetimeSeconds: number;
}

/** How a request is decided. */
interface Deciding {
  readonly prompt: Prompt;
  /** The application as shown on a page that has become outdated; undefined for a new request. */
  readonly read: Presentation | undefined;
}

/** Decides about a request of a person: by an earlier approval, or by the consent page. @throws OAuthError, HttpError */
export async function handleRequest(
  deps: AuthorizeDeps,
  res: Response,
  application: ReadApplication,
  request: AuthorizationRequest,
  { prompt, read }: Deciding,
): Promise<void> {
  const personId = personOf(res);
  const { requestId, clientIp } = res.locals;
  const owner = await deps.findBusiness(application.businessId, requestId);
  const presentation = presentationOf(application, owner);
  const mustAsk = prompt.has('consent') || read !== undefined;
  const asked = { application, request, presentation, mustAsk, personId, requestId };
  const decision = await decideAuthorization(deps, asked);
  if (decision.kind === 'denied') throw new OAuthError('access_denied', decision.reason);
  if (decision.kind !== 'covered') checkPagePermitted(prompt, ...needOf(decision));
  if (decision.kind === 'suspended') throw suspendedPage('connection');
  if (decision.kind === 'second_factor_missing') throw factorMissingError();
  if (decision.kind === 'ask') {
    const changed = read && changesSincePage(read, presentation);
    return showConsent(deps, res, application, request, {
      ...decision,
      presentation,
      changed,
      accountHolder: owner?.accountHolder,
    });
  }
  const actor = { kind: 'person', id: personId, clientIp, requestId } as const;
  const { businessId } = decision;
  const input = { actor, personId, businessId, request, presentation, consentId: undefined };
  const approval = await approveAuthorization(deps, input);
  // Something changed since the decision, and the person has seen no page: let the browser repeat the request.
  if (approval.kind === 'stale' || approval.kind === 'changed') return res.redirect(303, res.req.originalUrl);
  returnToApplication(res, request, approvalResponse(approval), deps);
}

/** Error for a request that permits no page although one is needed, and the reason. */
function needOf(
  decision: Exclude<Decision, { kind: 'covered' | 'denied' }>,
): ['consent_required' | 'interaction_required', string] {
  if (decision.kind === 'suspended') return ['interaction_required', 'the connection is suspended'];
  if (decision.kind === 'second_factor_missing') {
    return ['interaction_required', 'the business requires a second factor'];
  }
  return decision.candidates.length > 1
    ? ['interaction_required', 'the person has to choose a business']
    : ['consent_required', 'the person has to approve the request'];
}

async function showConsent(
  { sealer, apiScopes, findLookalikes }: AuthorizeDeps,
  res: Response,
  application: ReadApplication,
  request: AuthorizationRequest,
  shown: Extract<Decision, { kind: 'ask' }> & {
    readonly presentation: Presentation;
    readonly accountHolder: string | undefined;
    /** Changes since the page that was sent back; undefined for the first page. */
    readonly changed: readonly string[] | undefined;
  },
): Promise<void> {
  const { session, requestId } = res.locals;
  const { presentation, candidates, accountHolder } = shown;
  const names = [application.name, ...(accountHolder === undefined ? [] : [accountHolder])];
  // A sandbox is connected by the person who made it, and learns of no other business.
  const lookalikes =
    application.sandboxOf === undefined ? await findLookalikes(application.businessId, names, requestId) : [];
  const ticket = sealTicket(
    sealer,
    {
      id: randomBytes(16).toString('base64url'),
      request: { ...request, scopes: [...request.scopes] },
      presentation,
      businessIds: candidates.map(({ business }) => business.id),
    },
    { sessionId: session.id, personId: personOf(res) },
  );
  const page = consentPage({ ...shown, apiScopes, lookalikes, request, ticket, session });
  const headers = { 'Content-Security-Policy': consentPolicy(request.redirectUri) };
  sendPage(res, { page, headers, status: shown.changed === undefined ? 200 : 409 });
}

const consentForm = z.strictObject({
  ticket: z.string(),
  business: z.string().optional(),
  decision: z.enum(['approve', 'deny']),
});

/** POST /oauth/consent: the decision of the person. Everything else comes from the sealed ticket. */
export function consentEndpoint(deps: AuthorizeDeps): RequestHandler {
  return async (_req, res) => {
    const { form, session } = res.locals;
    const fields = fieldsOf(consentForm, form);
    const ticket = openTicket(deps.sealer, fields.ticket, { sessionId: session.id, personId: personOf(res) });
    if (ticket === undefined) throw staleConsent();
    if (fields.decision === 'deny') {
      const denial = await denyAuthorization(deps, ticket.id, ticket.request);
      return returnToApplication(res, ticket.request, approvalResponse(denial), deps);
    }
    const businessId = ticket.businessIds.find((candidate) => String(candidate) === fields.business);
    if (businessId === undefined) throw staleConsent();
    try {
      await approve(deps, res, ticket, businessId);
    } catch (error) {
      redirectError(deps, res, ticket.request, error);
    }
  };
}

/** Approves what the page showed. If the application has changed since, shows a new page instead. */
async function approve(
  deps: AuthorizeDeps,
  res: Response,
  { id: consentId, request, presentation }: ConsentTicket,
  businessId: number,
): Promise<void> {
  const { clientIp, requestId } = res.locals;
  const personId = personOf(res);
  const application = await findAllowed(deps, request);
  const owner = await deps.findBusiness(application.businessId, requestId);
  if (changesSincePage(presentation, presentationOf(application, owner)).length === 0) {
    const actor = { kind: 'person', id: personId, clientIp, requestId } as const;
    const input = { actor, personId, businessId, request, presentation, consentId };
    const approval = await approveAuthorization(deps, input);
    if (approval.kind !== 'changed') {
      return returnToApplication(res, request, approvalResponse(approval), deps);
    }
  }
  const current = await findAllowed(deps, request);
  await handleRequest(deps, res, current, request, { prompt: new Set(), read: presentation });
}

/** The current application for a submitted page. @throws HttpError when it no longer allows the request */
async function findAllowed(
  { store, apiScopes }: AuthorizeDeps,
  request: AuthorizationRequest,
): Promise<ReadApplication> {
  const application = await store.findById(request.applicationId);
  if (application === undefined || !stillAllows(apiScopes, application, request)) throw staleConsent();
  if (application.suspensions.length > 0) throw suspendedPage('application');
  return application;
}
