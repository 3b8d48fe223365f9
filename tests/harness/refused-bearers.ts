import { createCheckedToken, createTagKey } from '@platform/service-kit/secrets/checked-token.ts';
import type { Platform } from './platform.ts';

/** Bearers that are refused, each for another reason; `rotatedTo` is the valid one that replaced `rotated`. */
export async function refusedBearers(platform: Platform) {
  const [deleted, rotated, expired] = await Promise.all([
    platform.createKey(),
    platform.createKey(),
    platform.createKey({ expiresAt: new Date(Date.now() + 3_600_000) }),
  ]);
  await platform.deleteKey(deleted);
  const { keyString: rotatedTo } = await platform.rotateKey(rotated);
  // Minutes ago: the date of a machine may be put back.
  const past = "UPDATE api_keys SET expires_at = now() - interval '5 minutes' WHERE id = $1";
  await platform.sql(past, [expired.id]);
  return {
    deleted: deleted.keyString,
    rotated: rotated.keyString,
    rotatedTo,
    expired: expired.keyString,
    wrongChecksum: wrongChecksum(rotatedTo),
    unknownSecret: unissued(platform, 'sk'),
    unknownRestricted: unissued(platform, 'rk'),
    unknownToken: unissued(platform, 'at'),
    wrongTag: createCheckedToken('sk'),
    wrongTagToken: createCheckedToken('at'),
    wrongChecksumToken: wrongChecksum(createCheckedToken('at')),
    refreshToken: createCheckedToken('rt'),
  };
}

/** A well-formed credential that was never issued, which the gateway sends to identity-service. */
export function unissued({ secrets }: Pick<Platform, 'secrets'>, prefix: 'sk' | 'rk' | 'at'): string {
  return createCheckedToken(prefix, createTagKey(secrets.credentialTagKey));
}

/** The checksum stands last. */
const wrongChecksum = (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
