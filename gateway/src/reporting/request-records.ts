import { randomUUID } from 'node:crypto';
import { usageService } from '@platform/protos/identity';
import { parseInvalidInput } from '@platform/protos/vocabulary';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { redactPath } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { LRUCache } from 'lru-cache';
import type { EndedRequest } from './ended-request.ts';
import { type Reporter, startReporter } from './reporter.ts';
import type { UsageClient } from './usage.ts';

/** Requests of a business in one minute that could not be recorded. */
export interface UnlistedRequests {
  readonly businessId: number;
  /** Start of the minute, milliseconds since 1970. */
  readonly minute: number;
  requests: number;
}

/** Holds requests in memory until they are reported. */
export interface RequestRecordBuffer {
  record(request: EndedRequest): void;
  /** Removes the oldest, a batch at most, and returns them encoded as `records` of a RecordRequestsRequest. */
  take(): Buffer;
  /** Removes and returns what was dropped of known businesses, up to `max` minutes. */
  takeUnlisted(max: number): UnlistedRequests[];
  /** Requests dropped since the last call. */
  takeDroppedCount(): number;
}

/** Maximum numbers of records held, so that neither a flood nor a single business displaces the records of others. */
interface RequestRecordLimits {
  readonly all: number;
  readonly perBusiness: number;
  readonly unauthenticated: number;
}

const minuteMs = 60_000;

/** Requests that are encoded together: each alone takes twice the time. */
const perPiece = 50;

/** Records, and minutes with requests that are not listed, per batch: identity-service stores it at once. */
const maxBatch = 500;

/** Encoded requests, and whose room each takes. */
interface Piece {
  readonly bytes: Buffer;
  readonly rooms: readonly (number | undefined)[];
}

/**
 * Requests wait as bytes outside the heap: V8 learns that objects which wait live long, and allocates all of their kind in the
 * old generation, which it then marks whole every few seconds.
 */
export function createRequestRecordBuffer(
  limits: RequestRecordLimits,
  batch = { pieces: maxBatch / perPiece, perPiece },
): RequestRecordBuffer {
  const pieces: Piece[] = [];
  let latest: EndedRequest[] = [];
  let size = 0;
  const countByBusiness = new Map<number | undefined, number>();
  const unlisted = new Map<string, UnlistedRequests>();
  let dropped = 0;

  function drop({ principal, at }: EndedRequest): void {
    dropped++;
    if (principal === undefined) return;
    const { businessId } = principal;
    const minute = at - (at % minuteMs);
    const key = `${businessId}@${minute}`;
    const known = unlisted.get(key);
    if (known !== undefined) known.requests++;
    // An outage of hours would fill the memory with minutes; the metric has counted the request.
    else if (unlisted.size < limits.all) unlisted.set(key, { businessId, minute, requests: 1 });
  }

  /** Whose room a request takes: calls with a dead string come from strangers. */
  const roomOf = ({ refusal, principal }: EndedRequest) =>
    refusal === 'unknown_limited' ? undefined : principal?.businessId;

  function encodeLatest(): void {
    const requests = latest;
    latest = [];
    const bytes = usageService.RecordRequests.requestSerialize({ records: requests.map(toRecord) });
    pieces.push({ bytes, rooms: requests.map(roomOf) });
  }

  return {
    record: (request) => {
      const businessId = roomOf(request);
      const count = countByBusiness.get(businessId) ?? 0;
      const limit = businessId === undefined ? limits.unauthenticated : limits.perBusiness;
      if (count >= limit || size >= limits.all) {
        drop(request);
        return;
      }
      countByBusiness.set(businessId, count + 1);
      size++;
      latest.push(request);
      if (latest.length === batch.perPiece) encodeLatest();
    },
    take: () => {
      if (latest.length > 0) encodeLatest();
      const taken = pieces.splice(0, batch.pieces);
      for (const businessId of taken.flatMap(({ rooms }) => rooms)) {
        size--;
        const left = (countByBusiness.get(businessId) ?? 0) - 1;
        if (left > 0) countByBusiness.set(businessId, left);
        else countByBusiness.delete(businessId);
      }
      return Buffer.concat(taken.map(({ bytes }) => bytes));
    },
    takeUnlisted: (max) => {
      const taken = [...unlisted].slice(0, max);
      for (const [key] of taken) unlisted.delete(key);
      return taken.map(([, minute]) => minute);
    },
    takeDroppedCount: () => {
      const count = dropped;
      dropped = 0;
      return count;
    },
  };
}

/** Batches per round: a backlog of the whole buffer. */
const maxBatches = 40;

const deadlineMs = 3_000;

/** Reports requests. A failed batch is sent again under the same id, so that each is recorded once. */
export function startRequestReporter(
  client: UsageClient,
  buffer: RequestRecordBuffer,
  everyMs: number,
  registry: Registry,
  logger: Logger,
): Reporter {
  const dropped = new Counter({
    name: 'gateway_request_records_dropped_total',
    help: 'Requests that are not in the log because the buffer was full',
    registers: [registry],
  });
  return startReporter({
    name: 'requests',
    take: () => {
      const records = buffer.take();
      const unlisted = buffer.takeUnlisted(maxBatch).map(({ businessId, minute, requests }) => ({
        businessId,
        minuteUnixMs: minute,
        requests,
      }));
      if (records.length === 0 && unlisted.length === 0) return undefined;
      return { batchId: randomUUID(), records, unlisted };
    },
    send: (batch) => client.rpc.RecordRequests(batch, { deadlineMs }),
    takeDroppedCount: buffer.takeDroppedCount,
    dropped,
    everyMs,
    maxBatches,
    logger,
  });
}

/** Characters of a path or a User-Agent that are reported. */
const maxPath = 200;

/** Characters of an error that are reported. */
const maxError = 300;

/** Reported form by header: clients send the same one with every request. */
const userAgents = new LRUCache<string, string>({ max: 1_000 });

function reportedAgent(header: string): string {
  const known = userAgents.get(header);
  if (known !== undefined) return known;
  const reported = redactPath(header).slice(0, maxPath);
  userAgents.set(header, reported);
  return reported;
}

export type RequestRecord = ReturnType<typeof toRecord>;

/** The request as it is reported. */
export function toRecord(request: EndedRequest) {
  const { principal, refusal, invalidInput, userAgent = '', errorBody } = request;
  const invalid = invalidInput === undefined ? undefined : parseInvalidInput(invalidInput);
  return {
    requestId: request.requestId,
    atUnixMs: request.at,
    method: request.method,
    path: request.path.slice(0, maxPath),
    route: request.route,
    status: request.status,
    refusal: refusal ?? invalid?.reason ?? '',
    businessId: principal?.businessId ?? 0,
    credentialType: principal?.credentialType ?? 'CREDENTIAL_TYPE_UNSPECIFIED',
    credentialId: principal?.credentialId ?? '',
    limitId: principal?.limitId ?? '',
    clientIp: request.clientIp,
    requiredScope: request.requiredScope,
    invalidField: invalid?.field ?? '',
    durationMs: request.ms,
    upstreamMs: request.upstreamMs ?? -1,
    responseBytes: request.responseBytes,
    userAgent: reportedAgent(userAgent),
    error: errorBody === undefined ? '' : errorTextOf(errorBody),
  } as const;
}

/** A name from the request that was cut: it may be a part of a secret, too short to be recognised. */
const cutWord = /\S*…\S*/g;

/** Text of an error in the contract's shape; empty for one without a text. */
function errorTextOf(body: string): string {
  try {
    const { error }: { error?: unknown } = JSON.parse(body);
    return typeof error === 'string' ? redactPath(error.replaceAll(cutWord, '...')).slice(0, maxError) : '';
  } catch {
    return '';
  }
}
