import type { AdmissionStore, Claim, Counted, Stale, StoreUnavailable } from '../access/batcher.ts';
import { type CallerRecord, giveUpReserve, type LocalLimiter, ringOf } from './local-limiter.ts';
import type { RedisLink } from './redis-link.ts';
import type { RedisRing } from './redis-ring.ts';

/** Counts in Redis, in one round trip where nothing is contended; the claims of one caller one after the other. */
export interface RedisLimiter extends AdmissionStore {
  /** Tells Redis what was counted while it was lost. Rejects when that is not certain. */
  handIn(): Promise<void>;
  /** Another gateway needs what is reserved for this one: hands in its counts and keeps a share of what is left, or nothing. */
  giveBack(ring: string, keepsShare: boolean): Promise<void>;
}

export interface RedisLimiterDeps {
  readonly ring: RedisRing;
  readonly link: Pick<RedisLink, 'isUp' | 'reportFailure'>;
  readonly local: LocalLimiter;
  readonly gateways: () => readonly string[];
  readonly monotonicNow: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

type Outcome = (Counted & { readonly numbers: readonly number[] }) | Stale | StoreUnavailable;

interface Waiting {
  readonly claim: Claim;
  readonly resolve: (outcome: Outcome) => void;
}

/** Milliseconds between questions whether other gateways have given back what is reserved for them. */
const pausesMs = [1, 2, 4, 8, 15, 30, 60, 130];

/** For so long (milliseconds) gateways that have not are not waited for again. */
const impatientMs = 1_000;

/** Attempts for which a ring may turn out to lack what this gateway knows. */
const maxAttempts = 4;

const handInAtOnce = 100;

const unavailable: StoreUnavailable = { kind: 'unavailable' };

export function createRedisLimiter(deps: RedisLimiterDeps): RedisLimiter {
  const { ring: redisRing, link, local, gateways, monotonicNow, pause } = deps;
  const lanes = new Map<string, Promise<void>>();
  const queues = new Map<string, Waiting[]>();

  /** Runs work about a ring when what came before is done. */
  function inTurn(ring: string, work: () => Promise<void>): Promise<void> {
    const done = (lanes.get(ring) ?? Promise.resolve()).then(work);
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (lanes.get(ring) === settled) lanes.delete(ring);
      });
    lanes.set(ring, settled);
    return done;
  }

  async function attempt(ring: string, record: CallerRecord, claim: Claim, ids?: string) {
    for (let i = 0; i < maxAttempts && link.isUp(); i++) {
      const outcome = await redisRing.admit(ring, record, claim, ids);
      if (outcome !== undefined) return outcome;
    }
    return unavailable;
  }

  async function count(ring: string, record: CallerRecord, claim: Claim): Promise<Outcome> {
    let outcome = await attempt(ring, record, claim);
    const numbers: number[] = [];
    for (const ms of pausesMs) {
      if (outcome.kind !== 'counted' || !outcome.isHeld || monotonicNow() < record.impatientUntil) break;
      numbers.push(...numbersOf(outcome));
      await pause(ms);
      const rest = { ...claim, wanted: claim.wanted - numbers.length };
      outcome = await attempt(ring, record, rest, ms > 1 ? `${gateways().join()},` : '');
    }
    if (outcome.kind !== 'counted') return outcome;
    numbers.push(...numbersOf(outcome));
    const { isHeld, ...counted } = outcome;
    if (isHeld) record.impatientUntil = Math.max(record.impatientUntil, monotonicNow() + impatientMs);
    const retryMs = isHeld ? impatientMs : counted.retryMs;
    return { ...counted, admitted: numbers.length, numbers, retryMs };
  }

  async function serve(ring: string): Promise<void> {
    for (let queue = queues.get(ring); queue !== undefined; queue = queues.get(ring)) {
      const alike = takeAlike(queue);
      if (queue.length === 0) queues.delete(ring);
      const outcome = await count(ring, local.recordOf(ring), together(alike)).catch((error: unknown) => {
        link.reportFailure(error);
        return unavailable;
      });
      divide(alike, outcome);
    }
  }

  return {
    admit: (claim) =>
      new Promise((resolve) => {
        if (!link.isUp()) return resolve(unavailable);
        const ring = ringOf(claim.answer);
        const queue = queues.get(ring);
        if (queue !== undefined) return void queue.push({ claim, resolve });
        queues.set(ring, [{ claim, resolve }]);
        void inTurn(ring, () => serve(ring));
      }),
    handIn: async () => {
      const rings = local.pending();
      for (let i = 0; i < rings.length; i += handInAtOnce) {
        const some = rings.slice(i, i + handInAtOnce);
        await Promise.all(
          some.map((ring) => inTurn(ring, () => redisRing.settle(ring, local.recordOf(ring)))),
        );
      }
    },
    giveBack: (ring, keepsShare) =>
      inTurn(ring, () => {
        const record = local.recordOf(ring);
        giveUpReserve(record, keepsShare ? 'half' : 'all');
        return redisRing.settle(ring, record, keepsShare);
      }),
  };
}

/** Takes the first claim out of a queue, with those behind it that differ from it in the end of their answer only. */
function takeAlike(queue: Waiting[]): Waiting[] {
  const first = queue[0];
  const differs = queue.findIndex(({ claim }) => first === undefined || !isAlike(first.claim, claim));
  return queue.splice(0, differs === -1 ? queue.length : differs);
}

function isAlike(a: Claim, b: Claim): boolean {
  const isSameAnswer = a.answer.generation === b.answer.generation && a.answer.limit === b.answer.limit;
  return isSameAnswer && a.incarnation === b.incarnation;
}

/** One claim for all: it holds as long as each of them does. */
function together(waiting: readonly Waiting[]): Claim {
  const claims = waiting.map(({ claim }) => claim);
  const [first] = claims;
  if (first === undefined) throw new Error('There is no claim.');
  if (claims.length === 1) return first;
  const validUntil = Math.min(...claims.map(({ answer }) => answer.validUntil));
  const wanted = claims.reduce((sum, claim) => sum + claim.wanted, 0);
  return { ...first, answer: { ...first.answer, validUntil }, wanted };
}

/** What had been counted when each of the admitted requests had been. */
function numbersOf({ admitted, used }: Counted): number[] {
  return Array.from({ length: admitted }, (_, index) => used - admitted + index + 1);
}

/** Gives each claim its part of what was admitted, the first ones first. */
function divide(waiting: readonly Waiting[], outcome: Outcome): void {
  let begin = 0;
  for (const { claim, resolve } of waiting) {
    if (outcome.kind !== 'counted') {
      resolve(outcome);
      continue;
    }
    const numbers = outcome.numbers.slice(begin, begin + claim.wanted);
    begin += numbers.length;
    resolve({ ...outcome, admitted: numbers.length, numbers });
  }
}
