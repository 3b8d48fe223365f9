import { setTimeout } from 'node:timers/promises';
import type { AuthorizeResponse, authorizationService } from '@platform/protos/identity';
import { AppError } from '@platform/service-kit/app-error.ts';
import type { GrpcClient } from '@platform/service-kit/grpc-client.ts';
import { wasUndelivered } from '@platform/service-kit/hedge.ts';
import type { Liveness } from '@platform/service-kit/liveness.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { Answer, Denied } from '../authorization/answer.ts';
import type { Ask } from '../authorization/authorizer.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';

export type AuthorizationClient = GrpcClient<typeof authorizationService>;

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
