import type { UsageCount as UsageCountMessage, usageService } from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc-server.ts';
import { type UsageStore, usageBatchSchema } from '../usage/usage-batch.ts';
import { parseRequest } from './parse-request.ts';

/** identity.v1.UsageService. */
export function usageHandlers(usage: UsageStore): UnaryHandlers<typeof usageService> {
  return {
    RecordUsage: async ({ batchId, counts }) => {
      await usage.addOnce(parseRequest(usageBatchSchema, { batchId, counts: counts.map(fromMessage) }));
      return {};
    },
  };
}

function fromMessage(count: UsageCountMessage) {
  return {
    businessId: count.businessId,
    credentialType: count.credentialType.replace('CREDENTIAL_TYPE_', '').toLowerCase(),
    credentialId: count.credentialId,
    limitId: count.limitId,
    minute: count.minuteUnixMs,
    count2xx: count.count_2xx,
    count4xx: count.count_4xx,
    count429: count.count_429,
    count5xx: count.count_5xx,
    lastUsedAt: count.lastUsedAtUnixMs,
    lastUsedIp: count.lastUsedIp,
    scopesUsed: count.scopesUsed,
    addresses: count.addresses.map(({ lastSuccessAtUnixMs, ...use }) => ({
      ...use,
      lastSuccessAt: lastSuccessAtUnixMs,
    })),
    endpoints: count.endpoints,
    limitUsed: count.limitUsed,
    limitObservedAt: count.limitObservedAtUnixMs,
  };
}
