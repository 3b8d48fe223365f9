import type { Logger } from '@platform/service-kit/logger.ts';
import type { Request, RequestHandler, Response, Router } from 'express';
import { serverMetadata } from '../../oauth/metadata.ts';
import { type AuthenticateClientDeps, authenticateClient } from '../../oauth/token/authenticate-client.ts';
import { readClientCredentials } from '../../oauth/token/client-credentials.ts';
import { issueTokens } from '../../oauth/token/grant-types.ts';
import { revokeToken } from '../../oauth/token/revoke-token.ts';
import type { TokenDeps } from '../../oauth/token/token-deps.ts';
import type { TokenRequest } from '../../oauth/token/token-request.ts';
import type { Throttle } from '../../throttle/throttle.ts';
import { exactRouter } from '../router.ts';
import { readParameters } from './read-parameters.ts';
import { renderOAuthError } from './render-oauth-error.ts';
import { checkThrottle } from './throttled-error.ts';

export interface TokenEndpointDeps extends TokenDeps, AuthenticateClientDeps {
  readonly throttle: Throttle;
  readonly logger: Logger;
  /** Origin under which everybody knows the platform. */
  readonly issuer: string;
  readonly documentation: string;
}

/** Requests of one address or client within a minute. */
const minute = { limit: 600, windowSeconds: 60 };

/** The endpoints for applications: token, revocation, metadata. */
export function tokenEndpoints(deps: TokenEndpointDeps): Router {
  const router = exactRouter();
  router.route('/oauth/token').post(tokenEndpoint(deps)).all(allowOnly('POST'));
  router.route('/oauth/revoke').post(revocationEndpoint(deps)).all(allowOnly('POST'));
  const metadata = serverMetadata(deps.issuer, deps.documentation);
  router
    .route('/.well-known/oauth-authorization-server')
    .get((_req, res) => void res.set('Cache-Control', 'public, max-age=300').json(metadata))
    .all(allowOnly('GET, HEAD'));
  router.use(renderOAuthError(deps.logger));
  return router;
}

/** Contract 4.3. */
function tokenEndpoint(deps: TokenEndpointDeps): RequestHandler {
  return async (req, res) => {
    const request = await admitClient(deps, 'token', req, res);
    const { accessToken, refreshToken, expiresIn, scopes } = await issueTokens(deps, request);
    res.set(noStore).json({
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: expiresIn,
      refresh_token: refreshToken,
      scope: scopes.join(' '),
    });
  };
}

/** Contract 4.4. */
function revocationEndpoint(deps: TokenEndpointDeps): RequestHandler {
  return async (req, res) => {
    const request = await admitClient(deps, 'revoke', req, res);
    const propagation = await revokeToken(deps, request);
    if (propagation === 'confirmed') {
      res.set(noStore).json({});
      return;
    }
    // RFC 7009 section 2.2.1: the client has to take the token for living and try again.
    res
      .status(503)
      .set({ ...noStore, 'Retry-After': '2' })
      .json({ error: 'server_error', error_description: 'revoked; gateways confirm within 30 s' });
  };
}

/** Parameters, credentials and address in order. The client is throttled when it is proved: nobody can lock it out. */
async function admitClient(
  deps: TokenEndpointDeps,
  endpoint: 'token' | 'revoke',
  req: Request,
  res: Response,
): Promise<TokenRequest> {
  const arrivedAt = performance.now();
  const { clientIp, requestId } = res.locals.caller;
  await checkThrottle(deps.throttle, { name: `${endpoint}:address`, ...minute }, clientIp);
  const parameters = await readParameters(req, res);
  const credentials = readClientCredentials(req.headers.authorization, parameters);
  const client = await authenticateClient(deps, credentials, clientIp);
  await checkThrottle(deps.throttle, { name: `${endpoint}:client`, ...minute }, client.clientId);
  const key = req.headers['idempotency-key'];
  const idempotencyKey = Array.isArray(key) ? key.join(' ') : key;
  return { client, parameters, clientIp, requestId, arrivedAt, idempotencyKey };
}

const noStore = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

function allowOnly(methods: string): RequestHandler {
  return (_req, res) => {
    const body = { error: 'invalid_request', error_description: `use ${methods}` };
    res
      .status(405)
      .set({ ...noStore, Allow: methods })
      .json(body);
  };
}
