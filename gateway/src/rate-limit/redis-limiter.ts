import type { AdmissionRequest, Counted, Limiter, LimiterUnavailable, Stale } from '../access/batcher.ts';
import { type CredentialRecord, type LocalLimiter, rateLimitKey, shrinkReserve } from './local-limiter.ts';
import type { RedisLink } from './redis-link.ts';
import type { RedisRollingHour } from './redis-rolling-hour.ts';

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

type Outcome = (Counted & { readonly usedPerRequest: readonly number[] }) | Stale | LimiterUnavailable;

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

type RunExclusive = (key: string, work: () => Promise<void>) => Promise<void>;

/** Runs work on a key after all earlier work on it. */
function createKeyedMutex(): RunExclusive {
  const tails = new Map<string, Promise<void>>();
  return (key, work) => {
    const done = (tails.get(key) ?? Promise.resolve()).then(work);
    const tail = done
      .catch(() => undefined)
      .then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
    tails.set(key, tail);
    return done;
  };
}

export function createRedisLimiter(deps: RedisLimiterDeps): RedisLimiter {
  const { rollingHour, link, local, monotonicNow, pause } = deps;
  const runExclusive = createKeyedMutex();
  const queues = new Map<string, Waiting[]>();
  const recallWaitsMs = recallWaits(recallTimeouts * link.timeoutMs);

  const mayRecall = ({ noRecallBefore }: CredentialRecord) => monotonicNow() >= noRecallBefore;

  async function attempt(
    key: string,
    record: CredentialRecord,
    request: AdmissionRequest,
    dropsGone = false,
  ) {
    for (let i = 0; i < maxAttempts && link.isUp(); i++) {
      const outcome = await rollingHour.admit(key, record, request, dropsGone);
      if (outcome !== undefined) return outcome;
    }
    return unavailable;
  }

  async function count(key: string, record: CredentialRecord, request: AdmissionRequest): Promise<Outcome> {
    let outcome = await attempt(key, record, request);
    const usedPerRequest: number[] = [];
    for (const ms of recallWaitsMs) {
      if (outcome.kind !== 'counted' || !outcome.isReservedElsewhere || !mayRecall(record)) break;
      usedPerRequest.push(...usedSequence(outcome));
      await pause(ms);
      const rest = { ...request, requested: request.requested - usedPerRequest.length };
      outcome = await attempt(key, record, rest, ms > 1);
    }
    if (outcome.kind !== 'counted') return outcome;
    usedPerRequest.push(...usedSequence(outcome));
    const { isReservedElsewhere, ...counted } = outcome;
    if (isReservedElsewhere)
      record.noRecallBefore = Math.max(record.noRecallBefore, monotonicNow() + recallPauseMs);
    const retryMs = isReservedElsewhere ? recallPauseMs : counted.retryMs;
    return { ...counted, admitted: usedPerRequest.length, usedPerRequest, retryMs };
  }

  async function drainQueue(key: string): Promise<void> {
    for (let queue = queues.get(key); queue !== undefined; queue = queues.get(key)) {
      const batch = takeMergeable(queue);
      if (queue.length === 0) queues.delete(key);
      const outcome = await count(key, local.recordOf(key), merge(batch)).catch((error: unknown) => {
        link.reportFailure(error);
        return unavailable;
      });
      distribute(batch, outcome);
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
      const keys = local.pending();
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
  let begin = 0;
  for (const { request, resolve } of waiting) {
    if (outcome.kind !== 'counted') {
      resolve(outcome);
      continue;
    }
    const usedPerRequest = outcome.usedPerRequest.slice(begin, begin + request.requested);
    begin += usedPerRequest.length;
    resolve({ ...outcome, admitted: usedPerRequest.length, usedPerRequest });
  }
}
