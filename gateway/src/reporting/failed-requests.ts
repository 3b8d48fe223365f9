import type { Logger } from '@platform/service-kit/logger.ts';
import { redactPath } from '@platform/service-kit/logger.ts';
import { Counter, type Registry } from '@platform/service-kit/metrics.ts';
import type { Principal } from '../access/authorization-result.ts';
import { type Reporter, startReporter } from './reporter.ts';
import type { UsageClient } from './usage.ts';

/** A request to the API that was answered with 400 or more. */
export interface FailedRequest {
  /** X-Request-Id of its answer. */
  readonly requestId: string;
  /** End of the answer, milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** As it was sent, without the query: it may hold what nobody may read. */
  readonly path: string;
  /** Row of the route table. */
  readonly route: string;
  readonly status: number;
  /** Why the gateway itself answered; absent when the upstream did. */
  readonly refusal: string | undefined;
  /** Absent when the credential is unknown. */
  readonly principal: Principal | undefined;
  readonly clientIp: string;
  /** Empty where the route asks for none. */
  readonly requiredScope: string;
}

/** Keeps failed requests, in memory, until they are reported. */
export interface FailedRequestBuffer {
  record(request: FailedRequest): void;
  /** Takes up to `max` out, oldest first. */
  take(max: number): FailedRequest[];
  /** How many were given up since this was asked last. */
  takeDroppedCount(): number;
}

/** How many may wait at once, so that neither a flood nor one business takes the room of all others. */
interface FailedRequestLimits {
  readonly all: number;
  readonly perBusiness: number;
  readonly unauthenticated: number;
}

export function createFailedRequestBuffer(limits: FailedRequestLimits): FailedRequestBuffer {
  let waiting: FailedRequest[] = [];
  const countByBusiness = new Map<number | undefined, number>();
  let dropped = 0;

  return {
    record: (request) => {
      const businessId = request.principal?.businessId;
      const count = countByBusiness.get(businessId) ?? 0;
      const limit = businessId === undefined ? limits.unauthenticated : limits.perBusiness;
      if (count >= limit || waiting.length >= limits.all) {
        dropped++;
        return;
      }
      countByBusiness.set(businessId, count + 1);
      waiting.push(request);
    },
    take: (max) => {
      const taken = waiting.slice(0, max);
      waiting = waiting.slice(max);
      countByBusiness.clear();
      for (const { principal } of waiting) {
        countByBusiness.set(principal?.businessId, (countByBusiness.get(principal?.businessId) ?? 0) + 1);
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

/** Records in one batch. */
const maxBatch = 500;

const deadlineMs = 2_000;

/** Characters of a path that are kept. */
const maxPath = 200;

/** Reports failed requests, and says how many there was no room for. */
export function startFailedRequestReporter(
  client: UsageClient,
  buffer: FailedRequestBuffer,
  everyMs: number,
  registry: Registry,
  logger: Logger,
): Reporter {
  const dropped = new Counter({
    name: 'gateway_request_records_dropped_total',
    help: 'Failed requests that were not recorded, because too many waited',
    registers: [registry],
  });
  return startReporter({
    name: 'requests',
    take: () => {
      countDropped(buffer.takeDroppedCount(), dropped, logger);
      const records = buffer.take(maxBatch).map(toRecord);
      return records.length === 0 ? undefined : { records };
    },
    send: (batch) => client.rpc.RecordRequests(batch, { deadlineMs }),
    everyMs,
    logger,
  });
}

function countDropped(count: number, dropped: Counter, logger: Logger): void {
  if (count === 0) return;
  dropped.inc(count);
  logger.warn({ count }, 'failed requests were not recorded');
}

function toRecord(request: FailedRequest) {
  const { principal } = request;
  return {
    requestId: request.requestId,
    atUnixMs: request.at,
    method: request.method,
    path: redactPath(request.path).slice(0, maxPath),
    route: request.route,
    status: request.status,
    refusal: request.refusal ?? '',
    businessId: principal?.businessId ?? 0,
    credentialType: principal?.credentialType ?? 'CREDENTIAL_TYPE_UNSPECIFIED',
    credentialId: principal?.credentialId ?? '',
    limitId: principal?.limitId ?? '',
    clientIp: request.clientIp,
    requiredScope: request.requiredScope,
  } as const;
}
