import { randomUUID } from 'node:crypto';
import type { usageService } from '@platform/protos/identity';
import type { GrpcClient } from '@platform/service-kit/grpc-client.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { UsageBook, UsageEntry } from '../usage/usage-book.ts';
import { type Reporter, startReporter } from './reporter.ts';

export type UsageClient = GrpcClient<typeof usageService>;

/** Counts, addresses and endpoints in one batch: a message stays far below the size that identity-service accepts. */
const maxLines = 3_000;
const deadlineMs = 2_000;

/** Reports usage. A batch that failed is sent again under its own id, so nothing counts twice. */
export function startUsageReporter(
  client: UsageClient,
  book: UsageBook,
  everyMs: number,
  logger: Logger,
): Reporter {
  return startReporter({
    name: 'usage',
    take: () => {
      const counts = book.take(maxLines).map(toCount);
      return counts.length === 0 ? undefined : { batchId: randomUUID(), counts };
    },
    send: (batch) => client.rpc.RecordUsage(batch, { deadlineMs }),
    everyMs,
    logger,
  });
}

function toCount(entry: UsageEntry) {
  const { principal, addresses, endpoints } = entry;
  return {
    businessId: principal.businessId,
    credentialType: principal.credentialType,
    credentialId: principal.credentialId,
    limitId: principal.limitId,
    minuteUnixMs: entry.minute,
    count_2xx: entry.count2xx,
    count_4xx: entry.count4xx,
    count_429: entry.count429,
    count_5xx: entry.count5xx,
    lastUsedAtUnixMs: entry.lastUsedAt,
    lastUsedIp: entry.lastUsedIp,
    scopesUsed: [...entry.scopesUsed],
    addresses: [...addresses].map(([address, { requests, successes, lastSuccessAt }]) => ({
      address,
      requests,
      successes,
      lastSuccessAtUnixMs: lastSuccessAt,
    })),
    endpoints: [...endpoints].map(([{ method, name }, requests]) => ({ method, route: name, requests })),
    limitUsed: entry.limitUsed,
    limitObservedAtUnixMs: entry.limitObservedAt,
  };
}
