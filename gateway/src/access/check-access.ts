import { type Operation, type Span, spanKind } from '@platform/service-kit/telemetry/span.ts';
import type { RateLimitState } from '../principal.ts';
import type {
  Allowed,
  AuthorizationQuery,
  CacheableResult,
  Denied,
  Unauthenticated,
  Unavailable,
} from './authorization-result.ts';
import type { Authorizer, Sequence } from './authorizer.ts';
import type { AdmissionResult, Admit } from './batcher.ts';
import type { RedisEpochs } from './redis-epochs.ts';

type Decision =
  | { readonly kind: 'admitted'; readonly authorization: Allowed; readonly rateLimit: RateLimitState }
  | { readonly kind: 'denied'; readonly authorization: Denied; readonly rateLimit: RateLimitState }
  | { readonly kind: 'limited'; readonly authorization: CacheableResult; readonly rateLimit: RateLimitState }
  | { readonly kind: 'unauthenticated'; readonly authorization: Unauthenticated }
  | { readonly kind: 'unavailable' };

interface AccessCheckDeps {
  readonly authorizer: Authorizer;
  readonly sequence: Sequence;
  readonly epochs: RedisEpochs;
  /** Absent without a configured Redis. */
  readonly redisLimiter: Admit | undefined;
  /** Counts in this process while Redis is unreachable. */
  readonly localLimiter: Admit;
  /** Waits for a Redis that paused; resolves to whether it can be used again for this request. */
  readonly untilRedis: (query: AuthorizationQuery) => Promise<boolean>;
}

/** Authenticates, authorizes and counts a request that begins now. */
export type AccessCheck = (query: AuthorizationQuery) => Promise<Decision>;

/** Fetches for one request while the credential generation keeps changing. */
const maxAttempts = 4;

export function createAccessCheck(deps: AccessCheckDeps): AccessCheck {
  const { authorizer, sequence } = deps;

  async function decide(query: AuthorizationQuery, retry: () => Promise<Decision>): Promise<Decision> {
    let since = sequence();
    let authorization = await authorizer.getCached(query, since);
    let isUnconfirmed = false;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (authorization.outcome === 'unavailable') return isUnconfirmed ? retry() : unavailable;
      if (isUnauthenticated(authorization)) return { kind: 'unauthenticated', authorization };
      const admission = await admit(deps, authorization, authorization.requestedAt >= since, query.span);
      if (admission.kind === 'counted') return decisionOf(authorization, admission);
      isUnconfirmed = admission.kind === 'unavailable';
      since = sequence();
      authorization = await authorizer.fetchAfter(query, since);
    }
    return unavailable;
  }

  const decideOnce = (query: AuthorizationQuery) => decide(query, async () => unavailable);
  // Redis and identity-service are both unavailable: a Redis that only paused can soon confirm the cached result.
  return (query) =>
    decide(query, async () => ((await deps.untilRedis(query)) ? decideOnce(query) : unavailable));
}

const unavailable: Decision = { kind: 'unavailable' };

function isUnauthenticated(
  authorization: CacheableResult | Unauthenticated,
): authorization is Unauthenticated {
  return authorization.outcome === 'invalid' || authorization.outcome === 'expired';
}

/** Of one request; the command may count several. */
const redisAdmission: Operation = {
  name: 'EVALSHA admit',
  kind: spanKind.client,
  attributes: {
    'db.system.name': 'redis',
    'db.operation.name': 'EVALSHA',
    'db.stored_procedure.name': 'admit',
  },
};

/** Confirms and counts in one step; a result fetched after the request began needs no confirmation. */
function admit(
  { redisLimiter, localLimiter, epochs }: AccessCheckDeps,
  authorization: CacheableResult,
  isFresh: boolean,
  request: Span | undefined,
): Promise<AdmissionResult> | AdmissionResult {
  const epoch = isFresh ? undefined : epochs.epochFor(authorization);
  if (!isFresh && epoch === undefined) return { kind: 'stale', epoch };
  const admitLocally = () => (isFresh ? localLimiter(authorization, undefined) : unreachable);
  if (redisLimiter === undefined) return admitLocally();
  const span = request?.startChild(redisAdmission);
  return redisLimiter(authorization, epoch).then((admission) => {
    span?.end(undefined, admission.kind === 'unavailable' ? 'unavailable' : undefined);
    if (admission.kind === 'unavailable') return admitLocally();
    epochs.learn(authorization.principal.businessId, admission.epoch);
    return admission;
  });
}

const unreachable: AdmissionResult = { kind: 'unavailable' };

function decisionOf(
  authorization: CacheableResult,
  counted: Extract<AdmissionResult, { kind: 'counted' }>,
): Decision {
  const { admitted, used, resetMs, retryMs } = counted;
  const rateLimit = { limit: authorization.limit, used, resetMs, retryMs };
  if (!admitted) return { kind: 'limited', authorization, rateLimit };
  if (authorization.outcome !== 'allowed') return { kind: 'denied', authorization, rateLimit };
  return { kind: 'admitted', authorization, rateLimit };
}

/** Result of a check of a request in progress, where it would no longer be allowed. */
export type AccessEnded = Denied | Unauthenticated | Unavailable;

/**
 * Creates a check of a request in progress, from the result that admitted it; it resolves to undefined while the request
 * would still be allowed.
 */
export type Recheck = (
  query: AuthorizationQuery,
  admitted: Pick<Allowed, 'validUntil'>,
) => () => Promise<AccessEnded | undefined>;

interface RecheckDeps {
  /** Counts nothing. */
  readonly peekAccess: AccessCheck;
  /** Milliseconds since 1970 on the clock by which cached results end. */
  readonly now: () => number;
  readonly monotonicNow: () => number;
}

/**
 * Checks it as one that begins now. While neither Redis nor identity-service can confirm the last result, that holds until its
 * passport or credential ends.
 */
export function createRecheck({ peekAccess, now, monotonicNow }: RecheckDeps): Recheck {
  return (query, admitted) => {
    let { validUntil } = admitted;
    return async () => {
      const decision = await peekAccess({ ...query, startedAt: monotonicNow(), span: undefined });
      if (decision.kind === 'unavailable') return now() < validUntil ? undefined : { outcome: 'unavailable' };
      const { authorization } = decision;
      if (authorization.outcome !== 'allowed') return authorization;
      ({ validUntil } = authorization);
      return undefined;
    };
  };
}
