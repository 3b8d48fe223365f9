import type { KeyObject } from 'node:crypto';
import { checkedTokenPrefix, hasTag } from '@platform/service-kit/secrets/checked-token.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import type { RequestHandler, Router } from 'express';
import { countAttempts, rules, type Throttle } from '../../platform/throttle.ts';
import { ApiRefusal, handleApiErrors, tooManyRequests } from '../../web/api-errors.ts';
import { exactRouter } from '../../web/app.ts';
import { type SelfRevokeDeps, selfRevoke } from './self-revocation.ts';

interface SelfRevokeEndpointDeps extends SelfRevokeDeps {
  /** Tags of what may be a credential. */
  readonly tagKeys: readonly KeyObject[];
  readonly throttle: Throttle;
  /** Page about errors. */
  readonly docsUrl: string;
  readonly logger: Logger;
}

/** POST /v2/keys/self-revoke: ends the API key that the request is sent with. */
export function selfRevokeEndpoint(deps: SelfRevokeEndpointDeps): Router {
  const router = exactRouter();
  router.post('/keys/self-revoke', revoke(deps));
  router.use('/keys', handleApiErrors(deps.logger, deps.docsUrl));
  return router;
}

function revoke(deps: SelfRevokeEndpointDeps): RequestHandler {
  return async (req, res) => {
    const keyString = bearerKey(req.headers.authorization, deps.tagKeys);
    const { clientIp, requestId } = res.locals;
    const verdict = await countAttempts(deps.throttle, [[rules.selfRevokeAddress, addressBlock(clientIp)]]);
    if (verdict !== undefined) throw tooManyRequests(verdict.retryAfterSeconds);
    const result = await selfRevoke(deps, { keyString, clientIp, requestId });
    if (result === 'unknown') throw invalidKey(invalidToken);
    if (result === 'expired') throw expiredKey;
    if (result === 'pending') throw unconfirmed;
    res.set('Cache-Control', 'no-store').json({});
  };
}

/** The API key of an Authorization header. @throws ApiRefusal for anything that no lookup could find, and for access tokens */
function bearerKey(header: string | undefined, tagKeys: readonly KeyObject[]): string {
  if (header === undefined) throw invalidKey('Bearer realm="API"');
  const bearer = /^Bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
  if (bearer.startsWith('at_')) throw noApiKey;
  const prefix = checkedTokenPrefix(bearer);
  if ((prefix !== 'sk' && prefix !== 'rk') || !hasTag(bearer, tagKeys)) throw invalidKey(invalidToken);
  return bearer;
}

const invalidToken = 'Bearer error="invalid_token"';

function invalidKey(challenge: string): ApiRefusal {
  return new ApiRefusal({
    status: 401,
    text: 'Invalid API key',
    section: 'invalid_api_key',
    headers: { 'WWW-Authenticate': challenge },
  });
}

const expiredKey = new ApiRefusal({
  status: 401,
  text: 'API key has expired',
  section: 'api_key_expired',
  headers: { 'WWW-Authenticate': invalidToken },
});

/** Access tokens have /v2/oauth/revoke, which authenticates the application. */
const noApiKey = new ApiRefusal({
  status: 403,
  section: 'api_key_required',
  headers: { 'WWW-Authenticate': 'Bearer realm="API"' },
});

/** As for /v2/oauth/revoke: the key may work until a gateway asks again. */
const unconfirmed = new ApiRefusal({
  status: 503,
  text: 'revoked; gateways confirm within 30 s',
  headers: { 'Retry-After': '2' },
});
