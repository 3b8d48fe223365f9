import { addressBlock } from '@platform/service-kit/address-block.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RouteKind } from '../routes/routes.ts';

/** Keys under which a request takes its place at an upstream: its kind of route, its address, its credential. */
export function placeKeys({ principal, clientIp }: Exchange, kind: RouteKind): readonly string[] {
  const keys = [`kind:${kind}`, `address:${addressBlock(clientIp)}`];
  if (principal !== undefined) keys.push(`credential:${principal.credentialId}`);
  return keys;
}

/** The part of `places` that may be taken under a key. No address has all of a kind, and no kind has all. */
export function placeBound(key: string, places: number): number {
  if (key.startsWith('credential:')) return Math.ceil(places / 8);
  if (key.startsWith('address:')) return Math.ceil(places / 4);
  return key === 'kind:api' ? places : Math.ceil((places * 3) / 4);
}
