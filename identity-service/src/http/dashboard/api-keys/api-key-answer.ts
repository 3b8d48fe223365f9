import type { ApiKey } from '../../../api-keys/api-key.ts';
import { grantedScopes } from '../../../api-keys/key-scopes.ts';
import type { RollingHourUse, UsageReader } from '../../../usage/usage-reader.ts';

/** Keys as lists show them, each with its rolling hour. */
export async function listedKeys(
  usage: Pick<UsageReader, 'rollingHours'>,
  businessId: number,
  keys: readonly ApiKey[],
) {
  const ids = keys.map(({ id }) => id);
  const hours = new Map((await usage.rollingHours(businessId, ids)).map((hour) => [hour.limitId, hour]));
  return keys.map((key) => ({ ...keyRecord(key), rollingHour: rollingHourOf(key, hours.get(key.id)) }));
}

/** A key as its own page shows it. */
export async function detailedKey(usage: Pick<UsageReader, 'rollingHours' | 'scopeUses'>, key: ApiKey) {
  const [[hour], uses] = await Promise.all([
    usage.rollingHours(key.businessId, [key.id]),
    usage.scopeUses(key.businessId, [key.id]),
  ]);
  const lastUses = new Map(uses.map(({ scope, lastUsedAt }) => [scope, lastUsedAt]));
  const scopeUses = grantedScopes(key).map((scope) => ({ scope, lastUsedAt: lastUses.get(scope) }));
  return { ...keyRecord(key), rollingHour: rollingHourOf(key, hour), scopeUses };
}

/** A key by itself. */
export function keyRecord(key: ApiKey) {
  return { ...key, scopes: [...key.scopes], lastUsedIp: key.lastUsedIp ?? null };
}

/** An operator may have lowered the limit below what was used already. */
function rollingHourOf({ limit }: ApiKey, hour: RollingHourUse | undefined) {
  const used = hour?.used ?? 0;
  return { limit, used, left: Math.max(0, limit - used), observedAt: hour?.observedAt };
}
