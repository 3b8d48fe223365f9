import { randomUUID } from 'node:crypto';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { RetiredString } from '../principal.ts';
import { type Reporter, startReporter } from './reporter.ts';
import type { UsageClient } from './usage.ts';

/*
 * Calls with strings that were rotated, deleted or revoked, counted per string: records of single requests are dropped
 * in a flood, these counts are exact.
 */

/** Calls with one retired string. */
interface CallsEntry {
  requests: number;
  /** Milliseconds since 1970. */
  lastAt: number;
  /** Of the last calls, the latest first. */
  addresses: readonly string[];
}

/** Counts calls with retired strings in memory until they are reported. */
export interface RetiredCallsBuffer {
  record(retired: Pick<RetiredString, 'id'>, call: { readonly clientIp: string; readonly at: number }): void;
  /** Removes and returns the entries of up to `max` strings. */
  take(max: number): (CallsEntry & { readonly retiredId: string })[];
  /** Calls dropped since the last call. */
  takeDroppedCount(): number;
}

/** Addresses that are reported of a string. */
const maxAddresses = 3;

/** Holds at most `maxEntries` strings while reports fail; calls with others are dropped and counted. */
export function createRetiredCallsBuffer(maxEntries: number): RetiredCallsBuffer {
  const entries = new Map<string, CallsEntry>();
  let dropped = 0;
  return {
    record: ({ id }, { clientIp, at }) => {
      const entry = entries.get(id) ?? { requests: 0, lastAt: at, addresses: [] };
      if (entry.requests === 0) {
        if (entries.size >= maxEntries) {
          dropped++;
          return;
        }
        entries.set(id, entry);
      }
      entry.requests++;
      entry.lastAt = at;
      if (entry.addresses[0] === clientIp) return;
      const others = entry.addresses.filter((address) => address !== clientIp);
      entry.addresses = [clientIp, ...others].slice(0, maxAddresses);
    },
    take: (max) => {
      const taken = [...entries].slice(0, max);
      for (const [id] of taken) entries.delete(id);
      return taken.map(([retiredId, entry]) => ({ retiredId, ...entry }));
    },
    takeDroppedCount: () => {
      const count = dropped;
      dropped = 0;
      return count;
    },
  };
}

/** Strings per batch. */
const maxBatch = 1_000;

const deadlineMs = 2_000;

/** Reports calls with retired strings. A failed batch is sent again under the same id, so that it counts once. */
export function startRetiredCallsReporter(
  client: UsageClient,
  buffer: RetiredCallsBuffer,
  everyMs: number,
  registry: Registry,
  logger: Logger,
): Reporter {
  const dropped = new Counter({
    name: 'gateway_retired_calls_dropped_total',
    help: 'Calls with retired strings that were not counted because the buffer was full',
    registers: [registry],
  });
  return startReporter({
    name: 'retired calls',
    take: () => {
      const calls = buffer.take(maxBatch).map(({ lastAt, addresses, ...entry }) => ({
        ...entry,
        lastAtUnixMs: lastAt,
        addresses: [...addresses],
      }));
      return calls.length === 0 ? undefined : { batchId: randomUUID(), calls };
    },
    send: (batch) => client.rpc.RecordRetiredCalls(batch, { deadlineMs }),
    takeDroppedCount: buffer.takeDroppedCount,
    dropped,
    everyMs,
    maxBatches: 5,
    logger,
  });
}
