import { randomUUID } from 'node:crypto';
import type { usageService } from '@platform/protos/identity';
import type { GrpcClient } from '@platform/service-kit/grpc-client.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { UsageBook, UsageEntry } from '../usage/usage-book.ts';

export type UsageClient = GrpcClient<typeof usageService>;

export interface UsageReporter {
  /** Sends what is left and ends. */
  stop(): Promise<void>;
}

const everyMs = 3_000;
/** Counts, addresses and endpoints in one batch: a message stays far below the size that identity-service accepts. */
const maxLines = 6_000;
const deadlineMs = 2_000;

interface Batch {
  readonly batchId: string;
  readonly entries: readonly UsageEntry[];
}

/** Reports usage every few seconds. A batch that failed is sent again under its own id, so nothing counts twice. */
export function startUsageReporter(client: UsageClient, book: UsageBook, logger: Logger): UsageReporter {
  let pending: Batch | undefined;
  let sending = Promise.resolve();

  async function report(): Promise<void> {
    const batch = pending ?? { batchId: randomUUID(), entries: book.take(maxLines) };
    if (batch.entries.length === 0) return;
    pending = batch;
    try {
      const request = { batchId: batch.batchId, counts: batch.entries.map(toCount) };
      await client.rpc.RecordUsage(request, { deadlineMs });
      pending = undefined;
    } catch (error) {
      logger.warn({ err: error, entries: batch.entries.length }, 'usage was not reported; it is kept');
    }
  }

  const timer = setInterval(() => {
    sending = sending.then(report);
  }, everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await sending;
      await report();
      if (pending === undefined) await report();
    },
  };
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
