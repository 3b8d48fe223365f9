import { checkedTokenPrefix } from '@platform/service-kit/checked-token.ts';
import type { BearerKind } from './credential.ts';

const kinds: Readonly<Record<string, BearerKind>> = { sk: 'api_key', rk: 'api_key', at: 'access_token' };

/** What a bearer is, when it has the shape and the checksum of a credential; undefined for everything else. */
export function bearerKind(bearer: string): BearerKind | undefined {
  return kinds[checkedTokenPrefix(bearer) ?? ''];
}
