import { createCheckedToken } from '@platform/service-kit/checked-token.ts';
import type { Platform } from './platform.ts';
import { query } from './postgres.ts';

/** Bearers that are no good, each for a reason of its own; `rotatedTo` is what took the place of `rotated`, and good. */
export async function refusedBearers(platform: Platform) {
  const [deleted, rotated, expired] = await Promise.all([
    platform.createKey(),
    platform.createKey(),
    platform.createKey({ expiresAt: new Date(Date.now() + 3_600_000) }),
  ]);
  await platform.deleteKey(deleted);
  const { keyString: rotatedTo } = await platform.rotateKey(rotated);
  const past = "UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1";
  await query(platform.databases.identity, past, [expired.id]);
  return {
    deleted: deleted.keyString,
    rotated: rotated.keyString,
    rotatedTo,
    expired: expired.keyString,
    wrongChecksum: wrongChecksum(rotatedTo),
    unknownSecret: createCheckedToken('sk'),
    unknownRestricted: createCheckedToken('rk'),
    unknownToken: createCheckedToken('at'),
    wrongChecksumToken: wrongChecksum(createCheckedToken('at')),
    refreshToken: createCheckedToken('rt'),
  };
}

/** The checksum stands last. */
const wrongChecksum = (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
