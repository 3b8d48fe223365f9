import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { ApiScopes } from '../platform/scope.ts';
import type { Throttle } from '../platform/throttle.ts';
import type { OAuthCalls } from '../traffic/oauth-calls.ts';
import { exactRouter } from '../web/app.ts';
import { exchangeCode } from './authorization-code-grant.ts';
import {
  type AuthenticateClientDeps,
  authenticateClient,
  readClientCredentials,
} from './client-authentication.ts';
import { ClientTrace } from './http-client-trace.ts';
import { handleOAuthErrors, oauthErrorResponse, sendError } from './http-errors.ts';
import { readParameters } from './http-parameters.ts';
import { rehearse } from './http-rehearsal.ts';
import { type AuthorizationServer, checkThrottle, OAuthError, RevocationUnconfirmed } from './oauth-error.ts';
import { requireParameter } from './parameters.ts';
import { promptValues } from './prompt.ts';
import { refreshTokens } from './refresh-token-grant.ts';
import { revokeToken } from './revocation.ts';
import type { TokenPair } from './token-pair.ts';
import type { TokenDeps, TokenRequest } from './token-request.ts';

type GrantType = (deps: TokenDeps, request: TokenRequest) => Promise<TokenPair>;

const grantTypes: ReadonlyMap<string, GrantType> = new Map([
  ['authorization_code', exchangeCode],
  ['refresh_token', refreshTokens],
]);

const grantTypeNames: readonly string[] = [...grantTypes.keys()];

/** Handles a token request by its grant type. @throws OAuthError */
function issueTokens(deps: TokenDeps, request: TokenRequest): Promise<TokenPair> {
  const grantType = grantTypes.get(requireParameter(request.parameters, 'grant_type'));
  if (grantType === undefined) {
    throw new OAuthError('unsupported_grant_type', `grant_type must be one of: ${grantTypeNames.join(', ')}`);
  }
  return grantType(deps, request);
}

const clientAuthMethods = ['client_secret_basic', 'client_secret_post'];

/** Authorization server metadata (RFC 8414, RFC 9207). */
function serverMetadata({ issuer, errorPage, apiScopes }: TokenEndpointDeps) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/v2/oauth/token`,
    token_endpoint_auth_methods_supported: clientAuthMethods,
    revocation_endpoint: `${issuer}/v2/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grantTypeNames,
    code_challenge_methods_supported: ['S256'],
    scopes_supported: [...apiScopes.keys()],
    authorization_response_iss_parameter_supported: true,
    prompt_values_supported: promptValues,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    // The guide is a page beside it.
    service_documentation: new URL('oauth', errorPage).href,
  };
}

interface TokenEndpointDeps extends TokenDeps, AuthenticateClientDeps, AuthorizationServer {
  readonly throttle: Throttle;
  readonly oauthLog: OAuthCalls;
  readonly apiScopes: ApiScopes;
  readonly logger: Logger;
}

/** Requests per minute of one address or client. */
const minute = { limit: 600, windowSeconds: 60 };

/** The endpoints for applications: token, revocation, metadata. */
export function tokenEndpoints(deps: TokenEndpointDeps): Router {
  const router = exactRouter();
  router.route('/oauth/token').post(tokenEndpoint(deps)).all(allowOnly(deps, 'POST'));
  router.route('/oauth/revoke').post(revocationEndpoint(deps)).all(allowOnly(deps, 'POST'));
  const metadata = serverMetadata(deps);
  router
    .route('/.well-known/oauth-authorization-server')
    .get((_req, res) => void res.set('Cache-Control', 'public, max-age=300').json(metadata))
    .all(allowOnly(deps, 'GET, HEAD'));
  router.use(handleOAuthErrors(deps.logger, deps));
  return router;
}

/** Records requests for the owner of the application after the response is decided, so that recording cannot affect it. */
function traced(
  { oauthLog }: TokenEndpointDeps,
  endpoint: 'token' | 'revoke',
  run: (req: Request, res: Response, trace: ClientTrace) => Promise<void>,
): RequestHandler {
  return async (req, res) => {
    const trace = new ClientTrace(endpoint, req, res);
    try {
      await run(req, res, trace);
      trace.record(oauthLog, { status: res.statusCode });
    } catch (error) {
      const { status, reason, error: code, description } = oauthErrorResponse(error);
      // An address above its limit has not named a client yet.
      if (reason !== 'client_throttled' || trace.isAuthenticated) {
        trace.record(oauthLog, { status, reason, publicError: `${code}: ${description}` });
      }
      throw error;
    }
  };
}

/** Contract 4.3. */
function tokenEndpoint(deps: TokenEndpointDeps): RequestHandler {
  return traced(deps, 'token', async (req, res, trace) => {
    const request = await admitClient(deps, 'token', req, res, trace);
    rehearse(req, res, request.client);
    const { accessToken, refreshToken, expiresIn, scopes } = await issueTokens(deps, request);
    res.set(noStore).json({
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: expiresIn,
      refresh_token: refreshToken,
      scope: scopes.join(' '),
    });
  });
}

/** Contract 4.4. */
function revocationEndpoint(deps: TokenEndpointDeps): RequestHandler {
  return traced(deps, 'revoke', async (req, res, trace) => {
    const request = await admitClient(deps, 'revoke', req, res, trace);
    if ((await revokeToken(deps, request)) === 'pending') throw new RevocationUnconfirmed();
    res.set(noStore).json({});
  });
}

/** Reads parameters and authenticates the client. Its throttle counts only authenticated requests: strangers cannot lock it out. */
async function admitClient(
  deps: TokenEndpointDeps,
  endpoint: 'token' | 'revoke',
  req: Request,
  res: Response,
  trace: ClientTrace,
): Promise<TokenRequest> {
  const { clientIp, requestId } = res.locals;
  await checkThrottle(deps.throttle, { name: `${endpoint}:address`, ...minute }, addressBlock(clientIp));
  const parameters = await readParameters(req);
  trace.name(parameters.get('client_id'));
  const credentials = readClientCredentials(req.headers.authorization, parameters);
  trace.show(credentials);
  const client = await authenticateClient(deps, credentials, clientIp);
  trace.prove();
  await checkThrottle(deps.throttle, { name: `${endpoint}:client`, ...minute }, client.clientId);
  const key = req.headers['idempotency-key'];
  const idempotencyKey = Array.isArray(key) ? key.join(' ') : key;
  return { client, parameters, clientIp, requestId, idempotencyKey };
}

const noStore = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

function allowOnly(server: AuthorizationServer, methods: string): RequestHandler {
  const response = { status: 405, error: 'invalid_request', description: `use ${methods}` } as const;
  return (_req, res) => sendError(server, res, { ...response, headers: { Allow: methods } });
}
