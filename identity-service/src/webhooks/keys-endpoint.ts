import { createPublicKey } from 'node:crypto';
import { errorHandler, httpErrorBody, httpStatusOfKind } from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import { AppError, toAppError } from '@platform/service-kit/values/app-error.ts';
import type { RequestHandler, Response, Router } from 'express';
import type { WebhookClient } from '../clients/webhook.ts';
import { countAttempts, rules, type Throttle } from '../platform/throttle.ts';
import { webKeyOf } from '../platform/web-key.ts';
import { exactRouter } from '../web/app.ts';

interface KeysEndpointDeps {
  /** Undefined in an installation without webhook-service. */
  readonly client: Pick<WebhookClient, 'listPublicKeys'> | undefined;
  readonly throttle: Throttle;
  readonly logger: Logger;
}

/** Public keys that verify v1a signatures of an endpoint, as a JSON Web Key Set (RFC 7517, RFC 8037). */
export function keysEndpoint(deps: KeysEndpointDeps): Router {
  const router = exactRouter();
  router
    .route('/.well-known/webhook-keys/:endpointId')
    .get(showKeys(deps))
    .all((_req, res) =>
      send(res, { status: 405, text: 'Method not allowed', headers: { Allow: 'GET, HEAD' } }),
    );
  router.use('/.well-known/webhook-keys', errorHandler(deps.logger, responseTo, send));
  return router;
}

const identifier = /^whe_[0-9A-Za-z]{20}$/;

function showKeys({ client, throttle }: KeysEndpointDeps): RequestHandler<{ endpointId: string }> {
  return async ({ params: { endpointId } }, res) => {
    const verdict = await countAttempts(throttle, [
      [rules.webhookKeysAddress, addressBlock(res.locals.clientIp)],
    ]);
    if (verdict !== undefined) {
      const headers = { 'Retry-After': String(verdict.retryAfterSeconds) };
      return send(res, { status: 429, text: 'Too many requests', headers });
    }
    if (client === undefined || !identifier.test(endpointId)) throw noSuchEndpoint();
    const keys = await client.listPublicKeys(endpointId);
    res.set('Cache-Control', 'public, max-age=300').json({ keys: keys.map(shownKey) });
  };
}

function noSuchEndpoint(): AppError {
  return new AppError('not_found', 'endpoint_not_found', 'no such endpoint');
}

/** A key as JSON Web Key. @param publicKey whpk_ and base64 of 32 bytes, which Standard Webhooks uses */
function shownKey(publicKey: string) {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return { ...webKeyOf(key), public_key: publicKey };
}

interface ErrorResponse {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function responseTo(error: unknown): ErrorResponse {
  const { kind } = toAppError(error);
  if (kind === 'not_found') return { status: 404, text: 'Not found' };
  if (kind === 'unavailable')
    return { status: 503, text: 'Service unavailable', headers: { 'Retry-After': '2' } };
  return { status: httpStatusOfKind[kind], text: 'unexpected error' };
}

function send(res: Response, { status, text, headers = {} }: ErrorResponse): void {
  res
    .status(status)
    .set({ 'Cache-Control': 'no-store', ...headers })
    .json(httpErrorBody(status, text));
}
