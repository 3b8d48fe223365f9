import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { redactPath } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { Attribution } from '../principal.ts';
import { type Reporter, startReporter } from './reporter.ts';
import type { UsageClient } from './usage.ts';

/** An API request with a status of 400 or more. */
export interface FailedRequest {
  readonly requestId: string;
  /** End of the response, milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** As sent, without the query, which may hold secrets. */
  readonly path: string;
  /** Path of the route. */
  readonly route: string;
  readonly status: number;
  /** Reason of a response by the gateway itself, or what the upstream did not accept; undefined for its other responses. */
  readonly refusal: string | undefined;
  /** Name of the parameter, field or header that the upstream did not accept; empty where it names none. */
  readonly invalidField: string;
  /** Undefined when the credential is unknown. */
  readonly principal: Attribution | undefined;
  readonly clientIp: string;
  /** Empty without a required scope. */
  readonly requiredScope: string;
}

/** Holds failed requests in memory until they are reported. */
export interface FailedRequestBuffer {
  record(request: FailedRequest): void;
  /** Removes and returns up to `max`, oldest first. */
  take(max: number): FailedRequest[];
  /** Requests dropped since the last call. */
  takeDroppedCount(): number;
}

/** Maximum numbers of records held, so that neither a flood nor a single business displaces the records of others. */
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

/** Records per batch. */
const maxBatch = 500;

const deadlineMs = 2_000;

/** Characters of a path that are reported. */
const maxPath = 200;

/** Reports failed requests. */
export function startFailedRequestReporter(
  client: UsageClient,
  buffer: FailedRequestBuffer,
  everyMs: number,
  registry: Registry,
  logger: Logger,
): Reporter {
  const dropped = new Counter({
    name: 'gateway_request_records_dropped_total',
    help: 'Failed requests that were dropped because the buffer was full',
    registers: [registry],
  });
  return startReporter({
    name: 'requests',
    take: () => {
      const records = buffer.take(maxBatch).map(toRecord);
      return records.length === 0 ? undefined : { records };
    },
    send: (batch) => client.rpc.RecordRequests(batch, { deadlineMs }),
    takeDroppedCount: buffer.takeDroppedCount,
    dropped,
    everyMs,
    logger,
  });
}

/** The request as it is reported. */
export function toRecord(request: FailedRequest) {
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
    invalidField: request.invalidField,
  } as const;
}
