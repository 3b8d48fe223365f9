import { type Loop, startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Turn, TurnQueue } from './queue.ts';
import { createWaker } from './waker.ts';

interface TurnsOptions {
  readonly queue: TurnQueue;
  /** Sends what is due to an endpoint. Starts no further attempt after the signal. */
  readonly takeTurn: (turn: Turn, signal: AbortSignal) => Promise<void>;
  /** Milliseconds until an endpoint has something to do; undefined for nothing. */
  readonly nextDueMs: (endpointId: string) => Promise<number | undefined>;
  /** Endpoints with deliveries that are due and that no turn has taken up for some seconds. */
  readonly findForgotten: () => Promise<readonly string[]>;
  readonly logger: Logger;
  /** Turns that this process holds at once. */
  readonly maxTurns: number;
}

/** Milliseconds between polls of the queue, each of which costs PostgreSQL 3 ms. A wake in this process polls at once. */
const pollMs = { busy: 300, quiet: 2_000 };

/** Milliseconds without a turn after which the queue is quiet. */
const quietAfterMs = 10_000;

/** Milliseconds between heartbeats: several fit into the time after which a turn is given to another process. */
const touchMs = 3_000;

/** Milliseconds between searches for deliveries that a crash between commit and wake has left behind. */
const sweepMs = 5_000;

/** Milliseconds until the next turn of an endpoint whose turn failed. */
const afterFailureMs = 2_000;

/** The turns of this process. */
export interface Turns {
  readonly running: number;
  /** Takes no further turn, and waits until the attempts in flight have ended. */
  stop(): Promise<void>;
}

/** Takes turns from the queue and lets up to `maxTurns` run side by side. */
export function startTurns(options: TurnsOptions): Turns {
  const { queue, takeTurn, findForgotten, logger, maxTurns } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  const running = new Map<Turn, Promise<void>>();
  const waker = createWaker();
  queue.onWake(waker.wake);

  const run = async (turn: Turn) => {
    const { endpointId } = turn;
    let restMs = 0;
    try {
      await takeTurn(turn, signal);
    } catch (error) {
      restMs = afterFailureMs;
      logger.warn({ err: error, endpointId }, 'turn failed');
    }
    try {
      await finish(options, turn, restMs);
    } catch (error) {
      // Without further heartbeats the turn will be given to another process.
      logger.warn({ err: error, endpointId }, 'turn not completed');
    } finally {
      running.delete(turn);
      waker.wake();
    }
  };
  /** @returns how many were taken */
  const takeTurns = async () => {
    const free = maxTurns - running.size;
    const taken = free > 0 ? await takeSafely(queue, free, logger) : [];
    for (const turn of taken) running.set(turn, run(turn));
    return taken.length;
  };
  const poll = async () => {
    let busyUntil = 0;
    while (!signal.aborted) {
      const count = await takeTurns();
      const now = performance.now();
      if (running.size > 0) busyUntil = now + quietAfterMs;
      if (count === 0) await waker.wait(now < busyUntil ? pollMs.busy : pollMs.quiet);
    }
  };
  const polling = poll();
  const loops: Loop[] = [
    startLoop({
      name: 'touch turns',
      everyMs: touchMs,
      round: () => queue.touch([...running.keys()]),
      logger,
    }),
    startLoop({
      name: 'sweep',
      everyMs: sweepMs,
      round: async () => queue.wake(await findForgotten()),
      logger,
    }),
  ];
  return {
    get running() {
      return running.size;
    },
    stop: async () => {
      stopped.abort();
      waker.wake();
      await polling;
      await Promise.all(running.values());
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

async function takeSafely(queue: TurnQueue, limit: number, logger: Logger): Promise<Turn[]> {
  try {
    return await queue.take(limit);
  } catch (error) {
    logger.warn({ err: error }, 'no turns taken');
    return [];
  }
}

/**
 * Completes a turn, then checks whether more is due. The order matters, because an endpoint with an active turn cannot be
 * put into the queue.
 */
async function finish({ queue, nextDueMs }: TurnsOptions, turn: Turn, restMs: number): Promise<void> {
  await queue.complete(turn);
  const { endpointId } = turn;
  const dueMs = await nextDueMs(endpointId);
  if (dueMs === undefined) return;
  const afterMs = Math.max(dueMs, restMs);
  if (afterMs === 0) await queue.wake([endpointId]);
  else await queue.wakeLater([{ endpointId, seconds: afterMs / 1_000 }]);
}
