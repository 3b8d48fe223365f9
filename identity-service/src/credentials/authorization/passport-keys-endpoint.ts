import type { KeyObject } from 'node:crypto';
import type { Router } from 'express';
import { webKeyOf } from '../../platform/web-key.ts';
import { exactRouter } from '../../web/app.ts';

/** The keys that verify passports, as a JSON Web Key Set, for services behind the gateway. The gateway has no such route. */
export function passportKeysEndpoint(publicKeys: readonly KeyObject[]): Router {
  const keys = new Map(publicKeys.map(webKeyOf).map((key) => [key.kid, key]));
  const body = { keys: [...keys.values()] };
  return exactRouter().get(
    '/internal/passport-keys',
    (_req, res) => void res.set('Cache-Control', 'public, max-age=300').json(body),
  );
}
