import { setTimeout } from 'node:timers/promises';
import type { AuthorizeResponse, authorizationService } from '@platform/protos/identity';
import type { GrpcClient } from '@platform/service-kit/grpc/client.ts';
import { wasUndelivered } from '@platform/service-kit/grpc/hedge.ts';
import type { Liveness } from '@platform/service-kit/grpc/liveness.ts';
import { logRarely } from '@platform/service-kit/telemetry/log-rarely.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Histogram, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { AuthorizationResult, Denied } from './authorization-result.ts';
import type { FetchAuthorization } from './authorizer.ts';
import type { ConcurrencyLimit, ConcurrencyLimitOptions } from './concurrency-limit.ts';

type AuthorizationClient = GrpcClient<typeof authorizationService>;

/** Milliseconds by which passports expire early, for requests in flight. */
const passportMarginMs = 5_000;

const denials: Partial<Record<AuthorizeResponse['outcome'], Denied['outcome']>> = {
  OUTCOME_BUSINESS_FROZEN: 'frozen',
  OUTCOME_KEY_FROZEN: 'key_frozen',
  OUTCOME_APPLICATION_SUSPENDED: 'application_suspended',
  OUTCOME_CONNECTION_SUSPENDED: 'connection_suspended',
  OUTCOME_SCOPE_DENIED: 'scope_denied',
  OUTCOME_IP_DENIED: 'ip_denied',
};

/** Milliseconds before an undelivered call is retried. */
const retryAfterMs = 25;

/** Milliseconds between log lines about failures: one line counts them. */
const logEveryMs = 1_000;

export interface FetchAuthorizationDeps {
  readonly client: Pick<AuthorizationClient, 'rpc'>;
  /** Of identity-service: calls to a dead one fail at once. */
  readonly liveness: Pick<Liveness, 'watch' | 'isDead'>;
  readonly limit: ConcurrencyLimit;
  /** Milliseconds for a result, including the wait for a slot. */
  readonly budgetMs: number;
  readonly logger: Logger;
}

/**
 * Calls Authorize; every failure is `unavailable`. Undelivered calls are retried: a replica that shuts down may drop
 * accepted calls, and Authorize has no side effects.
 */
export function createFetchAuthorization({
  client,
  liveness,
  limit,
  budgetMs,
  logger,
}: FetchAuthorizationDeps): FetchAuthorization {
  const { rpc } = client;
  const logFailure = logRarely(logEveryMs, (failures, err: unknown, requestId: string) =>
    logger.warn({ err, requestId, failures }, 'identity-service did not respond'),
  );

  return async ({ bearer, clientIp, requiredScope, requestId, span }, requestedAt) => {
    const endsAt = performance.now() + budgetMs;
    const request = { bearer, clientIp, requiredScope };
    const callOnce = () => {
      const deadlineMs = Math.ceil(endsAt - performance.now());
      return liveness.watch(() => rpc.Authorize(request, { deadlineMs, requestId, span }));
    };
    const callWithRetry = () =>
      callOnce().catch(async (error: unknown) => {
        if (liveness.isDead() || !wasUndelivered(error)) throw error;
        await setTimeout(retryAfterMs);
        return callOnce();
      });
    try {
      if (liveness.isDead()) return { outcome: 'unavailable' };
      return toResult(await limit.run(callWithRetry, endsAt), requestedAt);
    } catch (error) {
      logFailure(error, requestId);
      return { outcome: 'unavailable' };
    }
  };
}

/** Whether the error is a response of identity-service, which proves that it is alive. */
export function isResponse(error: unknown): boolean {
  return error instanceof AppError && !error.reason.startsWith('grpc_');
}

function toResult(response: AuthorizeResponse, requestedAt: number): AuthorizationResult {
  const expiresAt = response.expiresAtUnixMs || undefined;
  const principal = response.principal ? { ...response.principal, expiresAt } : undefined;
  if (response.outcome === 'OUTCOME_INVALID') {
    return { outcome: 'invalid', retired: response.retired ?? undefined };
  }
  if (response.outcome === 'OUTCOME_EXPIRED') return { outcome: 'expired', principal };
  const denial = denials[response.outcome];
  if (principal === undefined || (denial === undefined && response.outcome !== 'OUTCOME_ALLOWED')) {
    throw new Error(`unknown outcome ${response.outcome}`);
  }
  const { limit, generation, passport } = response;
  const credentialEnd = expiresAt ?? Number.MAX_SAFE_INTEGER;
  const verified = { principal, limit, generation, requestedAt };
  if (denial !== undefined) return { ...verified, outcome: denial, validUntil: credentialEnd };
  const passportEnd = response.passportExpiresAtUnixMs - passportMarginMs;
  const validUntil = Math.min(passportEnd, credentialEnd);
  const upstreamPassports = new Map(Object.entries(response.upstreamPassports));
  return { ...verified, outcome: 'allowed', validUntil, passport, upstreamPassports };
}

/** Wait for a slot and duration of the call, apart: more replicas of identity-service shorten the wait. */
type AuthorizeMetrics = Pick<ConcurrencyLimitOptions, 'onWaited' | 'onServed'>;

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export function createAuthorizeMetrics(registry: Registry): AuthorizeMetrics {
  const waits = new Histogram({
    name: 'gateway_authorize_wait_seconds',
    help: 'Time that Authorize calls waited for a slot, of those that had to',
    buckets,
    registers: [registry],
  });
  const calls = new Histogram({
    name: 'gateway_authorize_call_seconds',
    help: 'Duration of Authorize calls, failed ones included',
    buckets,
    registers: [registry],
  });
  return { onWaited: (ms) => waits.observe(ms / 1000), onServed: (ms) => calls.observe(ms / 1000) };
}
