import { setTimeout } from 'node:timers/promises';
import type { AuthorizeResponse, authorizationService } from '@platform/protos/identity';
import { AppError } from '@platform/service-kit/app-error.ts';
import type { GrpcClient } from '@platform/service-kit/grpc/client.ts';
import { wasUndelivered } from '@platform/service-kit/grpc/hedge.ts';
import type { Liveness } from '@platform/service-kit/grpc/liveness.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import { Histogram, type Registry } from '@platform/service-kit/metrics.ts';
import type { Answer, Denied } from './authorization-result.ts';
import type { Ask } from './authorizer.ts';
import type { ConcurrencyLimit, ConcurrencyLimitOptions } from './concurrency-limit.ts';

type AuthorizationClient = GrpcClient<typeof authorizationService>;

/** Milliseconds by which the passport's end is taken earlier, for requests on their way. */
const passportMarginMs = 5_000;

const denials: Partial<Record<AuthorizeResponse['outcome'], Denied['outcome']>> = {
  OUTCOME_BUSINESS_FROZEN: 'frozen',
  OUTCOME_SCOPE_DENIED: 'scope_denied',
  OUTCOME_IP_DENIED: 'ip_denied',
};

/** Milliseconds after which a call that was not delivered is made once more. */
const retryAfterMs = 25;

/** Milliseconds between two lines about what went wrong: a failure of identity-service is one, not one per request. */
const logEveryMs = 1_000;

export interface AskDeps {
  readonly client: Pick<AuthorizationClient, 'rpc'>;
  /** Of identity-service: one that is dead is not waited for. */
  readonly liveness: Pick<Liveness, 'watch' | 'isDead'>;
  readonly limit: ConcurrencyLimit;
  /** Milliseconds that an answer may take, waiting for a turn included. */
  readonly budgetMs: number;
  readonly logger: Logger;
}

/**
 * Asks identity-service over gRPC; every failure is `unavailable`. A call that was not delivered is made again: a replica
 * that is ending may drop what it had accepted, and asking changes nothing.
 */
export function createAsk({ client, liveness, limit, budgetMs, logger }: AskDeps): Ask {
  const { rpc } = client;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;

  function logFailure(err: unknown, requestId: string): void {
    unlogged++;
    if (performance.now() - loggedAt < logEveryMs) return;
    logger.warn({ err, requestId, failures: unlogged }, 'identity-service did not answer');
    loggedAt = performance.now();
    unlogged = 0;
  }

  return async ({ bearer, clientIp, requiredScope, requestId }, askedAt) => {
    const endsAt = performance.now() + budgetMs;
    const request = { bearer, clientIp, requiredScope };
    const once = () => {
      const deadlineMs = Math.ceil(endsAt - performance.now());
      return liveness.watch(() => rpc.Authorize(request, { deadlineMs, requestId }));
    };
    const atMostTwice = () =>
      once().catch(async (error: unknown) => {
        if (liveness.isDead() || !wasUndelivered(error)) throw error;
        await setTimeout(retryAfterMs);
        return once();
      });
    try {
      if (liveness.isDead()) return { outcome: 'unavailable' };
      return answerOf(await limit.run(atMostTwice, endsAt), askedAt);
    } catch (error) {
      logFailure(error, requestId);
      return { outcome: 'unavailable' };
    }
  };
}

/** Whether a call that failed was answered all the same: then identity-service lives. */
export function isAnswer(error: unknown): boolean {
  return error instanceof AppError && !error.reason.startsWith('grpc_');
}

function answerOf(response: AuthorizeResponse, askedAt: number): Answer {
  const principal = response.principal ?? undefined;
  if (response.outcome === 'OUTCOME_INVALID') return { outcome: 'invalid' };
  if (response.outcome === 'OUTCOME_EXPIRED') return { outcome: 'expired', principal };
  const denial = denials[response.outcome];
  if (principal === undefined || (denial === undefined && response.outcome !== 'OUTCOME_ALLOWED')) {
    throw new Error(`unknown answer ${response.outcome}`);
  }
  const { limit, generation, passport } = response;
  const credentialEnd = response.expiresAtUnixMs || Number.MAX_SAFE_INTEGER;
  const verified = { principal, limit, generation, askedAt };
  if (denial !== undefined) return { ...verified, outcome: denial, validUntil: credentialEnd };
  const passportEnd = response.passportExpiresAtUnixMs - passportMarginMs;
  return { ...verified, outcome: 'allowed', validUntil: Math.min(passportEnd, credentialEnd), passport };
}

/** Tells time spent waiting for a turn from time spent by identity-service: more replicas help against the first. */
type AuthorizeMetrics = Pick<ConcurrencyLimitOptions, 'onWaited' | 'onServed'>;

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export function createAuthorizeMetrics(registry: Registry): AuthorizeMetrics {
  const waits = new Histogram({
    name: 'gateway_authorize_wait_seconds',
    help: 'Time that questions to identity-service waited for their turn, of those that had to',
    buckets,
    registers: [registry],
  });
  const calls = new Histogram({
    name: 'gateway_authorize_call_seconds',
    help: 'Time that identity-service took to answer a question, or to fail',
    buckets,
    registers: [registry],
  });
  return { onWaited: (ms) => waits.observe(ms / 1000), onServed: (ms) => calls.observe(ms / 1000) };
}
