import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { Request, RequestHandler, Router } from 'express';
import type { ReadApplication } from '../credentials/applications/store.ts';
import { factorMissing } from '../platform/membership.ts';
import type { OAuthCall } from '../traffic/oauth-call-store.ts';
import { exactRouter } from '../web/app.ts';
import { sendPage, throttled } from '../web/pages.ts';
import { fitsReturn, requirePerson } from '../web/sessions/browser-session.ts';
import { checkAuthorizationRequest, findReturnAddress } from './authorization-request.ts';
import { type AuthorizeDeps, consentEndpoint, handleRequest } from './consent-endpoint.ts';
import { ClientTrace } from './http-client-trace.ts';
import { AuthorizationRefused, redirectError, suspendedPage } from './http-responses.ts';
import { OAuthError } from './oauth-error.ts';
import { parseQuery, type Query } from './parameters.ts';
import { afterLogin, asksForLogin, checkPagePermitted, type Prompt, requestedPrompt } from './prompt.ts';

/** Requests per minute from one address. There is no limit per client: its ID is public, so strangers could use it up. */
const addressRule = { name: 'authorize:address', limit: 300, windowSeconds: 60 };

/** GET /oauth/authorize (contract 4.1): find the application, check the request, log in, ask for consent. */
function authorizeEndpoint(deps: AuthorizeDeps): RequestHandler {
  return async (req, res) => {
    const query = queryOf(req);
    const clientId = query.get('client_id');
    const trace = new ClientTrace('authorize', req, res);
    trace.name(clientId);
    const note = (error: unknown) => trace.record(deps.oauthLog, failureOf(error));
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
          'The redirect URI of this request is not registered for the app.',
          'redirect_uri_unknown',
        );
      }
      try {
        const request = checkAuthorizationRequest(deps.apiScopes, application, address, query);
        // Checked even if no login is needed, so that the application learns of it at its first attempt.
        if (!fitsReturn(req.originalUrl)) throw tooLong();
        const prompt = requestedPrompt(query);
        if (asksForLogin(prompt) || res.locals.session.personId === undefined) {
          checkPagePermitted(prompt, 'login_required', 'the person is not logged in');
          return res.redirect(303, loginPath(query, prompt));
        }
        await handleRequest(deps, res, application, request, { prompt, read: undefined });
        trace.record(deps.oauthLog, { status: res.statusCode });
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

function failureOf(error: unknown): Pick<OAuthCall, 'status' | 'reason' | 'publicError'> {
  if (error instanceof AuthorizationRefused) {
    return { status: error.status, reason: error.reason, publicError: error.message };
  }
  if (error instanceof OAuthError) {
    const { code } = error;
    const reason =
      error.reason === 'oauth_parameters' || code === 'invalid_scope'
        ? 'authorization_parameters'
        : error.reason;
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

async function findApplication(
  { store }: AuthorizeDeps,
  clientId: string | undefined,
): Promise<ReadApplication> {
  // PostgreSQL has no text with NUL.
  const known = clientId === undefined || clientId.includes('\0') ? undefined : clientId;
  const application = known === undefined ? undefined : await store.findApplication(known);
  if (application !== undefined) return application;
  throw new AuthorizationRefused(
    400,
    'This app does not exist. Go back to it and start again.',
    'client_unknown',
  );
}

/** The login page, also for a person who is logged in. It leads back to the request without its `prompt` for a login. */
function loginPath(query: Query, prompt: Prompt): string {
  const returnTo = encodeURIComponent(afterLogin('/oauth/authorize', query, prompt));
  return `/login?${asksForLogin(prompt) ? 'prompt=login&' : ''}continue=${returnTo}`;
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
