import { createKeyedMutex } from '@platform/service-kit/process/keyed-mutex.ts';
import type { AdmissionRequest, Counted, Limiter, LimiterUnavailable, Stale } from '../access/batcher.ts';
import { type CredentialRecord, type LocalLimiter, rateLimitKey, shrinkReserve } from './local-limiter.ts';
import type { RedisLink } from './redis-link.ts';
import type { CountedAttempt, RedisRollingHour } from './redis-rolling-hour.ts';

/** Counts in Redis, in one round trip without contention; requests of one credential run one after the other. */
export interface RedisLimiter extends Limiter {
  /** Settles what was counted during an outage. Rejects when that is not certain. */
  settlePending(): Promise<void>;
  /** Recalled by another gateway: settles, and keeps a share of the reserve or nothing. */
  releaseReserve(key: string, keepsShare: boolean): Promise<void>;
}

interface RedisLimiterDeps {
  readonly rollingHour: RedisRollingHour;
  readonly link: Pick<RedisLink, 'isUp' | 'timeoutMs' | 'reportFailure'>;
  readonly local: LocalLimiter;
  readonly monotonicNow: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

type Outcome = Counted | Stale | LimiterUnavailable;

interface Waiting {
  readonly request: AdmissionRequest;
  readonly resolve: (outcome: Outcome) => void;
}

/** Time for other gateways to release their reserves, in time-outs of a command. */
const recallTimeouts = 5;

const maxRecallWaitMs = 128;

/** Milliseconds between attempts after a recall: 1, 2, 4 … and together at least `limitMs`. */
function recallWaits(limitMs: number): number[] {
  const waits: number[] = [];
  let wait = 1;
  for (let sum = 0; sum < limitMs; wait = Math.min(2 * wait, maxRecallWaitMs)) {
    waits.push(wait);
    sum += wait;
  }
  return waits;
}

/** Milliseconds for which other gateways are not recalled again. */
const recallPauseMs = 1_000;

/** Attempts while the counter lacks requests of this gateway. */
const maxAttempts = 4;

const settleBatch = 100;

const unavailable: LimiterUnavailable = { kind: 'unavailable' };

type Count = (key: string, record: CredentialRecord, request: AdmissionRequest) => Promise<Outcome>;

/** Counts one batch, and recalls what is reserved elsewhere. One batch of a key at a time. Never rejects. */
function createCount({ rollingHour, link, local, monotonicNow, pause }: RedisLimiterDeps): Count {
  const recallWaitsMs = recallWaits(recallTimeouts * link.timeoutMs);

  const mayRecall = ({ noRecallBefore }: CredentialRecord) => monotonicNow() >= noRecallBefore;

  async function attempt(
    key: string,
    record: CredentialRecord,
    request: AdmissionRequest,
    dropsGone = false,
  ) {
    try {
      for (let i = 0; i < maxAttempts && link.isUp(); i++) {
        const outcome = await rollingHour.admit(key, record, request, dropsGone);
        if (outcome !== undefined) return outcome;
      }
    } catch (error) {
      local.markUnsettled(key);
      link.reportFailure(error);
    }
    return unavailable;
  }

  /** Counts the other requests as gateways release their reserves; extends `usedPerRequest`. Resolves to the last outcome. */
  async function countReleased(
    key: string,
    record: CredentialRecord,
    request: AdmissionRequest,
    first: CountedAttempt,
    usedPerRequest: number[],
  ): Promise<CountedAttempt | Stale | LimiterUnavailable> {
    let latest = first;
    for (const ms of recallWaitsMs) {
      if (!latest.isReservedElsewhere || !mayRecall(record)) break;
      await pause(ms);
      const rest = { ...request, requested: request.requested - usedPerRequest.length };
      const next = await attempt(key, record, rest, ms > 1);
      // Requests that were counted stay admitted if a later attempt fails.
      if (next.kind !== 'counted') return usedPerRequest.length === 0 ? next : latest;
      usedPerRequest.push(...usedSequence(next));
      latest = next;
    }
    return latest;
  }

  return async (key, record, request) => {
    const first = await attempt(key, record, request);
    if (first.kind !== 'counted' || !first.isReservedElsewhere) return first;
    const usedPerRequest = usedSequence(first);
    const outcome = await countReleased(key, record, request, first, usedPerRequest);
    if (outcome.kind !== 'counted') return outcome;
    const { isReservedElsewhere, ...counted } = outcome;
    if (isReservedElsewhere)
      record.noRecallBefore = Math.max(record.noRecallBefore, monotonicNow() + recallPauseMs);
    const retryMs = isReservedElsewhere ? recallPauseMs : counted.retryMs;
    return { ...counted, admitted: usedPerRequest.length, usedPerRequest, retryMs };
  };
}

export function createRedisLimiter(deps: RedisLimiterDeps): RedisLimiter {
  const { rollingHour, link, local } = deps;
  const runExclusive = createKeyedMutex<string>();
  const queues = new Map<string, Waiting[]>();
  const count = createCount(deps);

  async function drainQueue(key: string): Promise<void> {
    for (let queue = queues.get(key); queue !== undefined; queue = queues.get(key)) {
      const batch = takeMergeable(queue);
      if (queue.length === 0) queues.delete(key);
      distribute(batch, await count(key, local.recordOf(key), merge(batch)));
    }
  }

  return {
    admit: (request) =>
      new Promise((resolve) => {
        if (!link.isUp()) return resolve(unavailable);
        const key = rateLimitKey(request.authorization);
        const queue = queues.get(key);
        if (queue !== undefined) return void queue.push({ request, resolve });
        queues.set(key, [{ request, resolve }]);
        void runExclusive(key, () => drainQueue(key));
      }),
    settlePending: async () => {
      const keys = local.unsettled();
      for (let i = 0; i < keys.length; i += settleBatch) {
        const some = keys.slice(i, i + settleBatch);
        await Promise.all(
          some.map((key) => runExclusive(key, () => rollingHour.settle(key, local.recordOf(key)))),
        );
      }
    },
    releaseReserve: (key, keepsShare) =>
      runExclusive(key, () => {
        const record = local.recordOf(key);
        shrinkReserve(record, keepsShare ? 'half' : 'all');
        return rollingHour.settle(key, record, keepsShare);
      }),
  };
}

/** Takes the first batch of a queue, with those after it that differ in `validUntil` only. */
function takeMergeable(queue: Waiting[]): Waiting[] {
  const first = queue[0];
  const differs = queue.findIndex(
    ({ request }) => first === undefined || !isMergeable(first.request, request),
  );
  return queue.splice(0, differs === -1 ? queue.length : differs);
}

function isMergeable(a: AdmissionRequest, b: AdmissionRequest): boolean {
  const { generation, limit } = a.authorization;
  const isSame = generation === b.authorization.generation && limit === b.authorization.limit;
  return isSame && a.epoch === b.epoch;
}

/** One batch for all; it is valid as long as each of them is. */
function merge(waiting: readonly Waiting[]): AdmissionRequest {
  const requests = waiting.map(({ request }) => request);
  const [first] = requests;
  if (first === undefined) throw new Error('nothing to merge');
  if (requests.length === 1) return first;
  const validUntil = Math.min(...requests.map(({ authorization }) => authorization.validUntil));
  const requested = requests.reduce((sum, request) => sum + request.requested, 0);
  return { ...first, authorization: { ...first.authorization, validUntil }, requested };
}

/** `used` after each of the admitted requests. */
function usedSequence({ admitted, used }: Counted): number[] {
  return Array.from({ length: admitted }, (_, index) => used - admitted + index + 1);
}

/** Gives each batch its part of the admitted requests, in order. */
function distribute(waiting: readonly Waiting[], outcome: Outcome): void {
  if (waiting.length === 1 || outcome.kind !== 'counted') {
    for (const { resolve } of waiting) resolve(outcome);
    return;
  }
  const all = outcome.usedPerRequest ?? usedSequence(outcome);
  let begin = 0;
  for (const { request, resolve } of waiting) {
    const usedPerRequest = all.slice(begin, begin + request.requested);
    begin += usedPerRequest.length;
    resolve({ ...outcome, admitted: usedPerRequest.length, usedPerRequest });
  }
}
