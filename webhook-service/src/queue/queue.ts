import { sessionUrl } from '@platform/service-kit/database/connection.ts';
import { openGuardedSocket } from '@platform/service-kit/database/guarded-socket.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { type Job, PgBoss } from 'pg-boss';
import { inBatches } from './batches.ts';

/*
 * Queues of work. `turns` has at most one job per endpoint, waiting or active (policy exclusive). Its holder sends what is due
 * to the endpoint, so that two replicas never send at the same time. `later` has jobs with a start time, which put endpoints
 * into `turns`. `recoveries` has recoveries.
 */

/** The right to send to one endpoint, until the turn is completed or has had no heartbeat for 10 seconds. */
export interface Turn {
  readonly id: string;
  readonly retryCount: number;
  readonly endpointId: string;
}

/** Deliveries of an endpoint to send again. */
export interface Recovery {
  readonly recoveryId: string;
  readonly endpointId: string;
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

interface TurnJob {
  readonly endpointId: string;
}

export interface TurnQueue {
  /** Puts endpoints into the queue, unless they already have a waiting or active turn. */
  wake(endpointIds: readonly string[]): Promise<void>;
  /** Puts endpoints into the queue after their number of seconds. */
  wakeLater(delays: readonly { readonly endpointId: string; readonly seconds: number }[]): Promise<void>;
  /** Takes up to `limit` waiting turns. */
  take(limit: number): Promise<Turn[]>;
  /** Keeps turns from being given to others. */
  touch(turns: readonly Turn[]): Promise<void>;
  /** Ends a turn; ends that come together share a statement. */
  complete(turn: Turn): Promise<void>;
  /** Calls back when an endpoint was put into the queue by this process. */
  onWake(listener: () => void): void;
  /** Puts a recovery into the queue. */
  recover(recovery: Recovery): Promise<void>;
  /** Handles recoveries; one that fails is repeated. */
  onRecovery(handle: (recovery: Recovery) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

const turns = 'turns';

const later = 'later';

const recoveries = 'recoveries';

/** Seconds after which a turn whose process has died goes to another; the least that pg-boss allows. */
const heartbeatSeconds = 10;

/** Seconds between two searches for turns without a heartbeat. */
const superviseSeconds = 3;

/** Seconds between polls for jobs of dead processes. A live process fetches its own jobs when they are due. */
const pollSeconds = 5;

/** Seconds for which a completed job is kept. */
const keepCompletedSeconds = 60;

/** Retries of a failed recovery, and of a turn whose processes keep dying; after them the sweep creates a new turn. */
const retryLimit = 1_000;

/** Turns that one statement completes. */
const maxCompleted = 200;

/** Turns that one statement puts into the queue. */
const maxWoken = 500;

/** Jobs of `later` that are handled at once. */
const batchSize = 500;

/**
 * Limits of pg's pool, which pg-boss passes on. Without them, a silent connection would block the queue until TCP gives up.
 * They also apply to maintenance and migrations.
 */
const connectionLimits = {
  connectionTimeoutMillis: 2_000,
  statement_timeout: 10_000,
  query_timeout: 11_000,
  keepAlive: true,
  stream: openGuardedSocket,
};

interface QueueOptions {
  /** `postgresql://…` */
  readonly url: string;
  readonly logger: Logger;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** Starts pg-boss in the service's database, in a schema of its own, which it migrates itself. */
export async function openQueue({ url, logger, now }: QueueOptions): Promise<TurnQueue> {
  const boss = new PgBoss({
    connectionString: sessionUrl(url),
    application_name: 'webhook-service queue',
    max: 4,
    ...connectionLimits,
    schedule: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    maintenanceIntervalSeconds: 60,
  });
  boss.on('error', (err) => logger.warn({ err }, 'queue'));
  boss.on('warning', (warning) => logger.warn({ warning }, 'queue'));
  await boss.start();
  const options = { heartbeatSeconds, retryLimit, retryDelay: 0, deleteAfterSeconds: keepCompletedSeconds };
  await boss.createQueue(turns, { ...options, policy: 'exclusive' });
  await boss.createQueue(later, { retryLimit, deleteAfterSeconds: keepCompletedSeconds, policy: 'short' });
  await boss.createQueue(recoveries, {
    heartbeatSeconds,
    retryLimit,
    retryDelay: 5,
    deleteAfterSeconds: keepCompletedSeconds,
  });
  const complete = inBatches<Turn, true>(maxCompleted, async (done) => {
    await boss.complete(turns, done.map(attemptOf));
    return done.map(() => true);
  });
  const listeners: (() => void)[] = [];

  const wakeOne = inBatches<string, true>(maxWoken, async (endpointIds) => {
    // Sorted, so that replicas that wake the same endpoints lock rows in the same order.
    const jobs = [...new Set(endpointIds)].sort().map((endpointId) => ({
      data: { endpointId },
      singletonKey: endpointId,
    }));
    await boss.insert(turns, jobs);
    for (const listener of listeners) listener();
    return endpointIds.map(() => true);
  });
  const wake = async (endpointIds: readonly string[]) => {
    await Promise.all(endpointIds.map(wakeOne));
  };
  const lookForLater = await startWorker<TurnJob>(boss, later, batchSize, async (jobs) => {
    await wake([...new Set(jobs.map(({ data }) => data.endpointId))]);
  });
  const lookLater = atSeconds(lookForLater, now);
  let lookForRecoveries = () => {};
  return {
    wake,
    wakeLater: async (delays) => {
      if (delays.length === 0) return;
      await boss.insert(
        later,
        delays.map(({ endpointId, seconds }) => laterJob(endpointId, seconds, now())),
      );
      // PostgreSQL counts the delay from the insertion, so these seconds are not too early.
      for (const { seconds } of delays) lookLater(dueSecond(seconds, now()));
    },
    take: async (limit) => (await boss.fetch<TurnJob>(turns, { batchSize: limit })).map(turnOf),
    touch: async (held) => {
      if (held.length > 0) await boss.touch(turns, held.map(attemptOf));
    },
    complete: async (turn) => {
      await complete(turn);
    },
    onWake: (listener) => {
      listeners.push(listener);
    },
    recover: async (recovery) => {
      // Set on the job, because earlier versions created the queue with fewer retries, which an outage uses up.
      await boss.send(recoveries, recovery, { retryLimit });
      lookForRecoveries();
    },
    onRecovery: async (handle) => {
      lookForRecoveries = await startWorker<Recovery>(boss, recoveries, 1, async (jobs) => {
        for (const { data } of jobs) {
          await handle(data).catch((err: unknown) => {
            logger.warn({ err, endpointId: data.endpointId }, 'recovery failed');
            throw err;
          });
        }
      });
    },
    stop: () => boss.stop({ graceful: true, timeout: 5_000 }),
  };
}

/**
 * Handles jobs of a queue. Looks for more jobs right after each batch, because they may have become due in the meantime.
 * @returns a function that looks for jobs at once
 */
async function startWorker<T extends object>(
  boss: PgBoss,
  queue: string,
  batchSize: number,
  handle: (jobs: Job<T>[]) => Promise<void>,
): Promise<() => void> {
  const options = { batchSize, pollingIntervalSeconds: pollSeconds };
  let look = () => {};
  const worker = await boss.work<T>(queue, options, async (jobs) => {
    await handle(jobs);
    look();
  });
  look = () => boss.notifyWorker(worker);
  return look;
}

const dueSecond = (afterSeconds: number, nowMs: number) => Math.ceil(nowMs / 1_000 + afterSeconds);

/** One job for all deliveries of an endpoint that are due in the same second. */
function laterJob(endpointId: string, seconds: number, nowMs: number) {
  const singletonKey = `${endpointId} ${dueSecond(seconds, nowMs)}`;
  return { data: { endpointId }, singletonKey, startAfter: seconds };
}

/** Calls `look` once at the end of each second (Unix time) that it is given. */
function atSeconds(look: () => void, now: () => number): (second: number) => void {
  const awaited = new Set<number>();
  return (second) => {
    if (awaited.has(second)) return;
    awaited.add(second);
    setTimeout(
      () => {
        awaited.delete(second);
        look();
      },
      second * 1_000 - now(),
    ).unref();
  };
}

function turnOf({ id, retryCount, data }: Job<TurnJob>): Turn {
  return { id, retryCount, endpointId: data.endpointId };
}

const attemptOf = ({ id, retryCount }: Turn) => ({ id, retryCount });
