import type { AddressUse, EndpointUse, RecentCalls, UsageReader } from '../usage/usage-reader.ts';
import type { ApiKeyReference } from './api-key-reference.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import { getApiKey } from './get-api-key.ts';

const hourMs = 3_600_000;

export interface BlastRadiusDeps {
  readonly keys: ApiKeyStore;
  readonly usage: Pick<UsageReader, 'recentCalls' | 'addresses' | 'endpoints'>;
}

/** Who would notice when a key stopped working: what is known of its use lately. */
export interface BlastRadius {
  readonly calls: RecentCalls;
  /** From when on addresses and endpoints are told: the hour in which 24 hours ago was. Milliseconds since 1970. */
  readonly since: number;
  readonly addresses: readonly AddressUse[];
  readonly endpoints: readonly EndpointUse[];
  readonly lastUsedAt: number | undefined;
  readonly lastUsedIp: string | undefined;
}

/** @throws AppError not_found */
export async function readBlastRadius(
  { keys, usage }: BlastRadiusDeps,
  { businessId, apiKeyId }: ApiKeyReference,
  now: number,
): Promise<BlastRadius> {
  const { lastUsedAt, lastUsedIp } = await getApiKey({ keys }, { businessId, apiKeyId });
  const dayAgo = now - 24 * hourMs;
  const since = dayAgo - (dayAgo % hourMs);
  const [calls, addresses, endpoints] = await Promise.all([
    usage.recentCalls(businessId, apiKeyId),
    usage.addresses(businessId, [apiKeyId], since),
    usage.endpoints(businessId, [apiKeyId], since),
  ]);
  return { calls, since, addresses, endpoints, lastUsedAt, lastUsedIp };
}
