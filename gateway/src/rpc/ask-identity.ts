import { setTimeout } from 'node:timers/promises';
import type { AuthorizeResponse, authorizationService } from '@platform/protos/identity';
import type { GrpcClient } from '@platform/service-kit/grpc-client.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { Answer, Refused } from '../authorization/answer.ts';
import type { Ask } from '../authorization/authorizer.ts';

export type AuthorizationClient = GrpcClient<typeof authorizationService>;

/** Milliseconds by which the passport's end is taken earlier, for requests on their way. */
const passportMarginMs = 5_000;

const refusals: Partial<Record<AuthorizeResponse['outcome'], Refused['outcome']>> = {
  OUTCOME_INVALID: 'invalid',
  OUTCOME_EXPIRED: 'expired',
  OUTCOME_BUSINESS_FROZEN: 'frozen',
  OUTCOME_SCOPE_DENIED: 'scope_denied',
  OUTCOME_IP_DENIED: 'ip_denied',
};

/** Milliseconds after which a call that failed early is made once more, if there is time for an answer. */
const retryAfterMs = 25;
const timeForAnswerMs = 100;

export interface AskDeps {
  readonly client: Pick<AuthorizationClient, 'rpc'>;
  /** Milliseconds after which a request without an answer is turned away with 503. */
  readonly deadlineMs: number;
  readonly logger: Logger;
}

/**
 * Asks identity-service over gRPC; every failure is `unavailable`. A call that failed early is made again: a replica that
 * is ending may drop what it had accepted, and asking changes nothing.
 */
export function createAsk({ client, deadlineMs, logger }: AskDeps): Ask {
  const { rpc } = client;
  return async ({ requestId, ...question }, askedAt) => {
    const endsAt = performance.now() + deadlineMs;
    const timeLeft = () => Math.ceil(endsAt - performance.now());
    const once = async () =>
      answerOf(await rpc.Authorize(question, { deadlineMs: timeLeft(), requestId }), askedAt);
    try {
      return await once().catch(async (error: unknown) => {
        if (timeLeft() < retryAfterMs + timeForAnswerMs) throw error;
        await setTimeout(retryAfterMs);
        return once();
      });
    } catch (error) {
      logger.warn({ requestId, err: error }, 'identity-service did not answer');
      return { outcome: 'unavailable' };
    }
  };
}

function answerOf(response: AuthorizeResponse, askedAt: number): Answer {
  const principal = response.principal ?? undefined;
  const refusal = refusals[response.outcome];
  if (refusal !== undefined) return { outcome: refusal, principal };
  if (response.outcome !== 'OUTCOME_ALLOWED' || principal === undefined) {
    throw new Error(`unknown answer ${response.outcome}`);
  }
  const passportEnd = response.passportExpiresAtUnixMs - passportMarginMs;
  const credentialEnd = response.expiresAtUnixMs || Number.POSITIVE_INFINITY;
  return {
    outcome: 'allowed',
    principal,
    limit: response.limit,
    generation: response.generation,
    validUntil: Math.min(passportEnd, credentialEnd),
    passport: response.passport,
    askedAt,
  };
}
