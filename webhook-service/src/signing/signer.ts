import type { Sealer } from '@platform/service-kit/secrets/sealer.ts';
import { LRUCache } from 'lru-cache';
import type { Instant } from '../values.ts';
import { activeSecrets, type EndpointSecrets, openSecrets } from './rotation.ts';
import { readSigningKey, type SignatureHeaders, type SigningKey, signatureHeaders } from './secret.ts';

interface SealedEndpoint {
  readonly id: string;
  readonly sealedSecrets: Uint8Array;
}

/** Signs an attempt with the secrets of an endpoint that sign at `now`. @throws Error when no key opens them */
export type Sign = (
  endpoint: SealedEndpoint,
  eventId: string,
  now: Instant,
  body: string,
) => SignatureHeaders;

/** Keys that are kept between attempts. */
const maxKeys = 2_000;

/** Endpoints whose opened secrets are kept. */
const maxEndpoints = 1_000;

/** A signer that opens secrets and reads keys once, not for every attempt. */
export function createSigner(sealer: Sealer): Sign {
  const opened = new LRUCache<string, EndpointSecrets>({ max: maxEndpoints });
  const keys = new LRUCache<string, SigningKey>({ max: maxKeys });
  const secretsOf = ({ id, sealedSecrets }: SealedEndpoint) => {
    const sealed = `${id} ${Buffer.from(sealedSecrets).toString('base64')}`;
    const known = opened.get(sealed) ?? openSecrets(sealer, id, sealedSecrets);
    opened.set(sealed, known);
    return known;
  };
  const keyOf = (secret: string) => {
    const known = keys.get(secret) ?? readSigningKey(secret);
    keys.set(secret, known);
    return known;
  };
  return (endpoint, eventId, now, body) => {
    const [first, ...others] = activeSecrets(secretsOf(endpoint), now).map(keyOf);
    if (first === undefined) throw new Error(`no secret of ${endpoint.id} signs`);
    return signatureHeaders([first, ...others], eventId, Math.floor(now.getTime() / 1_000), body);
  };
}
