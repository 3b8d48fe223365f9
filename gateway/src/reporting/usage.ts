import { randomUUID } from 'node:crypto';
import { usageService } from '@platform/protos/identity';
import type { GrpcClient } from '@platform/service-kit/grpc/client.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { Principal } from '../principal.ts';
import type { Endpoint } from '../routes.ts';
import { type Reporter, startReporter } from './reporter.ts';

/** Requests from one address. */
interface AddressUsage {
  requests: number;
  /** Responses below 400. */
  successes: number;
  /** Milliseconds since 1970; 0 without a success. */
  lastSuccessAt: number;
}

/** Counts by address and endpoint. Beyond `maxKeys` of each, the rest is counted together. */
interface UsageBreakdown {
  readonly maxKeys: number;
  readonly addresses: Map<string, AddressUsage>;
  readonly endpoints: Map<Endpoint, number>;
}

const otherAddresses = '';

const otherEndpoints: Endpoint = { method: '', name: '' };

/** @param succeededAt milliseconds since 1970; 0 for a failed request */
function recordAddress(breakdown: UsageBreakdown, address: string, succeededAt: number): void {
  const usage = breakdown.addresses.get(address) ?? addAddress(breakdown, address);
  usage.requests++;
  if (succeededAt === 0) return;
  usage.successes++;
  usage.lastSuccessAt = succeededAt;
}

function addAddress({ addresses, maxKeys }: UsageBreakdown, address: string): AddressUsage {
  const key = addresses.size < maxKeys ? address : otherAddresses;
  const usage = addresses.get(key) ?? { requests: 0, successes: 0, lastSuccessAt: 0 };
  addresses.set(key, usage);
  return usage;
}

function recordEndpoint({ endpoints, maxKeys }: UsageBreakdown, endpoint: Endpoint): void {
  const isNew = !endpoints.has(endpoint);
  const key = isNew && endpoints.size >= maxKeys ? otherEndpoints : endpoint;
  endpoints.set(key, (endpoints.get(key) ?? 0) + 1);
}

/** Responses to one credential in one minute. */
interface UsageEntry extends UsageBreakdown {
  readonly principal: Principal;
  /** Start of the minute, milliseconds since 1970. */
  readonly minute: number;
  count2xx: number;
  count4xx: number;
  count429: number;
  count5xx: number;
  lastUsedAt: number;
  lastUsedIp: string;
  /** Scopes of the routes that succeeded. */
  readonly scopesUsed: Set<string>;
  /** Requests in the rolling hour, and when it was observed; 0 when it was not. */
  limitUsed: number;
  limitObservedAt: number;
}

/** A response to a credential. */
interface UsageRecord {
  readonly status: number;
  readonly clientIp: string;
  /** Required scope; null without one. */
  readonly scope: string | null;
  readonly endpoint: Endpoint;
  /** Requests in the rolling hour; undefined when the request was refused before admission. */
  readonly limitUsed: number | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Counts usage in memory until it is reported. */
export interface UsageBuffer {
  record(principal: Principal, usage: UsageRecord): void;
  /**
   * Removes and returns entries: at least one, and as many as have up to `maxLines` counts, addresses and endpoints.
   */
  take(maxLines: number): UsageEntry[];
  /** Requests dropped since the last call. */
  takeDroppedCount(): number;
}

const minuteMs = 60_000;

/** Addresses and endpoints counted separately per entry. */
const keysPerEntry = 20;

/**
 * Holds at most `maxEntries` while reports fail; requests beyond are dropped and counted. Only the first fifth has a
 * breakdown, so that the others stay small.
 */
export function createUsageBuffer(maxEntries: number): UsageBuffer {
  const entries = new Map<string, UsageEntry>();
  /** By credential: nearly all requests are of the minute of the one before. */
  const latest = new Map<string, UsageEntry>();
  let dropped = 0;

  function entryFor(principal: Principal, minute: number): UsageEntry | undefined {
    const key = `${principal.credentialId}@${minute}`;
    const existing = entries.get(key);
    if (existing !== undefined) return existing;
    if (entries.size >= maxEntries) return undefined;
    const created = createEntry(principal, minute, entries.size < maxEntries / 5 ? keysPerEntry : 0);
    entries.set(key, created);
    latest.set(principal.credentialId, created);
    return created;
  }

  return {
    record: (principal, usage) => {
      const minute = usage.at - (usage.at % minuteMs);
      const last = latest.get(principal.credentialId);
      const entry = last?.minute === minute ? last : entryFor(principal, minute);
      if (entry === undefined) dropped++;
      else addToEntry(entry, usage);
    },
    take: (maxLines) => {
      const taken: UsageEntry[] = [];
      let lines = 0;
      for (const [key, entry] of entries) {
        lines += 1 + entry.addresses.size + entry.endpoints.size;
        if (lines > maxLines && taken.length > 0) break;
        taken.push(entry);
        entries.delete(key);
        const { credentialId } = entry.principal;
        if (latest.get(credentialId) === entry) latest.delete(credentialId);
      }
      return taken;
    },
    takeDroppedCount: () => {
      const count = dropped;
      dropped = 0;
      return count;
    },
  };
}

function createEntry(principal: Principal, minute: number, maxKeys: number): UsageEntry {
  return {
    principal,
    minute,
    maxKeys,
    addresses: new Map(),
    endpoints: new Map(),
    count2xx: 0,
    count4xx: 0,
    count429: 0,
    count5xx: 0,
    lastUsedAt: 0,
    lastUsedIp: '',
    scopesUsed: new Set(),
    limitUsed: 0,
    limitObservedAt: 0,
  };
}

function addToEntry(
  entry: UsageEntry,
  { status, clientIp, scope, endpoint, limitUsed, at }: UsageRecord,
): void {
  const succeeded = status < 400;
  entry[countField(status)]++;
  entry.lastUsedAt = at;
  entry.lastUsedIp = clientIp;
  if (scope !== null && succeeded) entry.scopesUsed.add(scope);
  recordAddress(entry, clientIp, succeeded ? at : 0);
  recordEndpoint(entry, endpoint);
  if (limitUsed === undefined) return;
  entry.limitUsed = limitUsed;
  entry.limitObservedAt = at;
}

function countField(status: number): 'count2xx' | 'count4xx' | 'count429' | 'count5xx' {
  if (status === 429) return 'count429';
  if (status >= 500) return 'count5xx';
  return status >= 400 ? 'count4xx' : 'count2xx';
}

const { RecordRequests } = usageService;

/** A batch of requests, which were encoded as they ended. */
interface RequestBatch {
  readonly batchId: string;
  readonly records: Buffer;
  readonly unlisted: NonNullable<Parameters<typeof RecordRequests.requestSerialize>[0]['unlisted']>;
}

/** The service as the gateway calls it. Fields of a message behind those of another are one message with both. */
export const reportService = {
  ...usageService,
  RecordRequests: {
    ...RecordRequests,
    requestSerialize: ({ records, ...others }: RequestBatch) =>
      Buffer.concat([RecordRequests.requestSerialize(others), records]),
  },
};

export type UsageClient = GrpcClient<typeof reportService>;

/** Counts, addresses and endpoints per batch: the message stays far below the limit of identity-service. */
const maxLines = 3_000;

const deadlineMs = 2_000;

/** Reports usage. A failed batch is sent again under the same id, so that it counts once. */
export function startUsageReporter(
  client: UsageClient,
  buffer: UsageBuffer,
  everyMs: number,
  registry: Registry,
  logger: Logger,
): Reporter {
  const dropped = new Counter({
    name: 'gateway_usage_dropped_total',
    help: 'Responses that were not counted as usage because the buffer was full',
    registers: [registry],
  });
  return startReporter({
    name: 'usage',
    take: () => {
      const counts = buffer.take(maxLines).map(toCount);
      return counts.length === 0 ? undefined : { batchId: randomUUID(), counts };
    },
    send: (batch) => client.rpc.RecordUsage(batch, { deadlineMs }),
    takeDroppedCount: buffer.takeDroppedCount,
    dropped,
    everyMs,
    maxBatches: 5,
    logger,
  });
}

/** The entry as it is reported. */
export function toCount(entry: UsageEntry) {
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
