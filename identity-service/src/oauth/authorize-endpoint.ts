import { randomBytes } from 'node:crypto';
import { addressBlock } from '@platform/service-kit/addresses.ts';
import { toAppError } from '@platform/service-kit/app-error.ts';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { Application } from '../applications/application.ts';
import { factorMissing, factorMissingError } from '../people/person.ts';
import { fitsReturn, personOf, requirePerson } from '../sessions/browser-session.ts';
import type { OAuthFailure } from '../traffic/oauth-failures.ts';
import { exactRouter } from '../web/app.ts';
import { sendPage, throttled } from '../web/pages.ts';
import {
  type AuthorizationRequest,
  checkAuthorizationRequest,
  findReturnAddress,
  type ReturnAddress,
} from './authorization-request.ts';
import { ClientTrace } from './client-trace.ts';
import { approveAuthorization, type Decision, decideAuthorization, sealTicket } from './consent.ts';
import {
  AuthorizationRefused,
  type AuthorizeDeps,
  approvalResponse,
  consentEndpoint,
  consentPage,
  consentPolicy,
  returnToApplication,
  suspendedPage,
} from './consent-page.ts';
import { OAuthError } from './oauth-error.ts';
import { parseQuery, type Query } from './parameters.ts';

/** Requests per minute of one address. None for a client: its ID is public, so strangers could keep its users out. */
const addressRule = { name: 'authorize:address', limit: 300, windowSeconds: 60 };

/** GET /oauth/authorize (contract 4.1): find the application, check the request, log in, ask for consent. */
function authorizeEndpoint(deps: AuthorizeDeps): RequestHandler {
  return async (req, res, next) => {
    const query = queryOf(req);
    const clientId = query.get('client_id');
    const note = noteFailure(deps, req, res, clientId);
    const refusal = await throttled(deps.throttle, [[addressRule, addressBlock(res.locals.clientIp)]]);
    if (refusal !== undefined) {
      sendPage(res, refusal);
      return;
    }
    try {
      const application = await findApplication(deps, clientId);
      if (application.suspensions.length > 0) throw suspendedPage('application');
      const address = findReturnAddress(application, query);
      if (address === undefined) {
        throw new AuthorizationRefused(
          400,
          'The redirect URI of this request is not registered for the application.',
          'redirect_uri_unknown',
        );
      }
      try {
        const request = checkAuthorizationRequest(application, address, query);
        // Whether a person logs in on the way or not: the application learns of it at its first attempt.
        if (!fitsReturn(req.originalUrl)) throw tooLong();
        if (res.locals.session.personId === undefined) await requirePerson(req, res, next);
        else await handleRequest(deps, res, application, request);
      } catch (error) {
        redirectError(deps, res, address, error);
        note(error);
      }
    } catch (error) {
      note(error);
      throw error;
    }
  };
}

function tooLong(): OAuthError {
  return new OAuthError('invalid_request', 'the request is too long to outlast a login: use a shorter state');
}

/** Records the failure of a request for the owner of the application that it names. */
function noteFailure(
  { failures }: AuthorizeDeps,
  req: Request,
  res: Response,
  clientId: string | undefined,
): (error: unknown) => void {
  const trace = new ClientTrace();
  trace.name(clientId);
  const { requestId, clientIp } = res.locals;
  const request = { requestId, clientIp, endpoint: 'authorize', method: req.method } as const;
  return (error) => trace.record(failures, { ...request, at: Date.now(), ...failureOf(error) });
}

function failureOf(error: unknown): Pick<OAuthFailure, 'status' | 'reason' | 'publicError'> {
  if (error instanceof AuthorizationRefused) {
    return { status: error.status, reason: error.reason, publicError: error.message };
  }
  if (error instanceof OAuthError) {
    const reason = error.code === 'access_denied' ? error.reason : 'authorization_parameters';
    return { status: 303, reason, publicError: `${error.code}: ${error.message}` };
  }
  const { kind, reason, message } = toAppError(error);
  if (reason === factorMissing) {
    return { status: 403, reason: 'approval_second_factor', publicError: message };
  }
  return kind === 'unavailable'
    ? { status: 503, reason: 'oauth_unavailable', publicError: 'temporarily_unavailable' }
    : { status: 500, reason: 'oauth_unexpected', publicError: 'server_error' };
}

async function findApplication({ store }: AuthorizeDeps, clientId: string | undefined): Promise<Application> {
  // PostgreSQL has no text with NUL.
  const known = clientId === undefined || clientId.includes('\0') ? undefined : clientId;
  const application = known === undefined ? undefined : await store.findApplication(known);
  if (application !== undefined) return application;
  throw new AuthorizationRefused(
    400,
    'This application does not exist. Go back to it and start again.',
    'client_unknown',
  );
}

async function handleRequest(
  deps: AuthorizeDeps,
  res: Response,
  application: Application,
  request: AuthorizationRequest,
): Promise<void> {
  const personId = personOf(res);
  const { requestId, clientIp } = res.locals;
  const decision = await decideAuthorization(deps, { application, request, personId, requestId });
  if (decision.kind === 'suspended') throw suspendedPage('connection');
  if (decision.kind === 'second_factor_missing') throw factorMissingError();
  if (decision.kind === 'denied') throw new OAuthError('access_denied', decision.reason);
  if (decision.kind === 'ask') return showConsent(deps, res, application, request, decision);
  const actor = { kind: 'person', id: personId, clientIp, requestId } as const;
  const input = { actor, personId, businessId: decision.businessId, request, consentId: undefined };
  const approval = await approveAuthorization(deps, input);
  // It changed since the decision, of which the person saw nothing: the browser asks once more.
  if (approval.kind === 'stale') return res.redirect(303, res.req.originalUrl);
  returnToApplication(res, request, approvalResponse(approval), deps.issuer);
}

async function showConsent(
  { sealer, findBusiness, findLookalikes }: AuthorizeDeps,
  res: Response,
  application: Application,
  request: AuthorizationRequest,
  { candidates, lacksSecondFactor }: Extract<Decision, { kind: 'ask' }>,
): Promise<void> {
  const { session, requestId } = res.locals;
  const owner = await findBusiness(application.businessId, requestId);
  const names = [application.name, ...(owner === undefined ? [] : [owner.accountHolder])];
  const lookalikes = await findLookalikes(application.businessId, names, requestId);
  const ticket = sealTicket(
    sealer,
    {
      id: randomBytes(16).toString('base64url'),
      request: { ...request, scopes: [...request.scopes] },
      businessIds: candidates.map(({ business }) => business.id),
    },
    { sessionId: session.id, personId: personOf(res) },
  );
  const shown = { application, owner, lookalikes, request, candidates, lacksSecondFactor };
  const page = consentPage({ ...shown, ticket, session });
  const headers = { 'Content-Security-Policy': consentPolicy(request.redirectUri) };
  sendPage(res, { page, headers });
}

/** Sends an error to the redirect URI (RFC 6749 section 4.1.2.1). @throws errors that are not the client's */
function redirectError(
  { issuer }: AuthorizeDeps,
  res: Response,
  address: ReturnAddress,
  error: unknown,
): void {
  if (error instanceof OAuthError) {
    returnToApplication(res, address, { error: error.code, description: error.message }, issuer);
  } else if (toAppError(error).kind === 'unavailable') {
    const description = 'the service is temporarily unavailable';
    returnToApplication(res, address, { error: 'temporarily_unavailable', description }, issuer);
  } else {
    throw error;
  }
}

function queryOf(req: Request): Query {
  const start = req.originalUrl.indexOf('?');
  return parseQuery(start === -1 ? '' : req.originalUrl.slice(start + 1));
}

/** The pages of the authorization endpoint. */
export function authorizePages(deps: AuthorizeDeps): Router {
  return exactRouter()
    .get('/oauth/authorize', authorizeEndpoint(deps))
    .post('/oauth/consent', requirePerson, consentEndpoint(deps));
}
