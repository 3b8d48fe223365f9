import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { AttemptResult } from '../attempts/result.ts';
import { inBatches } from '../queue/batches.ts';
import type { TurnQueue } from '../queue/queue.ts';
import { startTurns, type Turns } from '../queue/turns.ts';
import type { SignatureHeaders } from '../signing/secret.ts';
import type { Sign } from '../signing/signer.ts';
import type { Instant } from '../values.ts';
import type { Claim, Claimed, ClaimRequest, ClaimStore } from './claim-store.ts';
import { createPermissionCheck, type Recipient } from './recipients.ts';
import type { ResultStore } from './result-store.ts';
import type { TraceAttempt } from './trace.ts';
import { mergeHealth, type RecordedAttempt, takeTurn } from './turn.ts';

interface WorkerOptions {
  readonly store: { readonly claims: ClaimStore; readonly results: ResultStore };
  readonly queue: TurnQueue;
  readonly checkRecipients: (recipients: readonly Recipient[]) => Promise<readonly boolean[]>;
  readonly send: (url: string, headers: SignatureHeaders, body: string) => Promise<AttemptResult>;
  readonly traceAttempt: TraceAttempt;
  readonly sign: Sign;
  readonly observe: (result: AttemptResult) => void;
  readonly logger: Logger;
  readonly now: () => Instant;
  /** Endpoints that this process sends to at once. */
  readonly maxTurns: number;
}

/** Endpoints that one statement looks at. */
const claimSize = 200;

/** Results that one statement stores. */
const recordSize = 200;

/** Milliseconds for which results wait for an unavailable database. After that they are lost and the events sent again. */
const storeLimitMs = 30_000;

/** Milliseconds between retries: less than another process needs to take over a turn once the database is back. */
const storePauseMs = 200;

/** Seconds after which the sweep takes up a due delivery. Normally a wake comes earlier. */
const forgottenSeconds = 5;

/** Sends what is due to endpoints, as long as it runs. */
export function startWorker(options: WorkerOptions): Turns {
  const { store, queue, checkRecipients, send, traceAttempt, sign, observe, logger, now, maxTurns } = options;
  const { claims, results } = store;
  const record = inBatches<RecordedAttempt, boolean>(recordSize, async (recorded) => {
    const attempts = recorded.map(({ attempt }) => attempt);
    const health = mergeHealth(recorded.map((result) => result.health));
    // Retries, because a lost result means that the event is sent twice.
    const stored = await whileUnavailable(() => results.record(attempts, health));
    return attempts.map(({ deliveryId }) => stored.has(deliveryId));
  });
  const withdraw = inBatches<Claim, undefined>(recordSize, async (withdrawn) => {
    await claims.withdraw(withdrawn);
    return withdrawn.map(() => undefined);
  });
  const turnDeps = {
    claim: inBatches<ClaimRequest, Claimed | undefined>(claimSize, async (requests) => {
      const claimed = await claims.claim(requests);
      return requests.map(({ turn }) => claimed.get(turn));
    }),
    skip: claims.skip,
    withdraw,
    checkPermission: createPermissionCheck({ checkRecipients, findHeld: claims.findHeld }),
    send,
    traceAttempt,
    sign,
    record,
    observe,
    logger,
    now,
  };
  return startTurns({
    queue,
    takeTurn: (turn, signal) => takeTurn(turnDeps, turn, signal),
    nextDueMs: inBatches<string, number | undefined>(claimSize, async (endpointIds) => {
      const dueMs = await claims.nextDueMs(endpointIds);
      return endpointIds.map((id) => dueMs.get(id));
    }),
    findForgotten: () => claims.findForgotten(forgottenSeconds),
    logger,
    maxTurns,
  });
}

/** Retries while the database is unavailable. Storing a result twice changes nothing. */
async function whileUnavailable<T>(store: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + storeLimitMs;
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (toAppError(error).kind !== 'unavailable' || performance.now() >= giveUpAt) throw error;
    }
    await pause(storePauseMs);
  }
}
