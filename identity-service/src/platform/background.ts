import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { currentRequest, inRequest, requestIdFrom } from '@platform/service-kit/telemetry/request-context.ts';
import { toAppError } from '@platform/service-kit/values/app-error.ts';

const works = [
  'mail',
  'sign-up',
  'password reset',
  'change of email',
  'failed login',
  'revocation time',
  'leak report',
] as const;

/** Work that no response waits for. */
export interface Background {
  /**
   * Starts `work` in a later turn of the event loop, after the response is written, so that the time of the response reveals
   * nothing. A failure is logged and counted under `name`. While too much is running, the work is dropped and logged, and
   * the result is false.
   */
  run(name: (typeof works)[number], work: () => Promise<unknown>): boolean;
  /** Resolves when nothing is running. */
  settle(): Promise<void>;
}

/** Milliseconds before each further attempt. By then a short lock or a reconnection has usually ended. */
const pausesMs = [500, 2_000];

/** Repeats `attempt` while the database is unavailable, for a few seconds. For work whose failure no response reports. */
export async function whenAvailable<T>(attempt: () => Promise<T>): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await attempt();
    } catch (error) {
      if (toAppError(error).kind !== 'unavailable') throw error;
    }
    await setTimeout(pauseMs);
  }
  return attempt();
}

/** Bounds memory: each piece of work has deadlines of its own. */
const maxRunning = 200;

export function createBackground(logger: Logger, registry: Registry): Background {
  const ended = new Counter({
    name: 'identity_background_work_total',
    help: 'Work that no response waited for, such as emails, by name and outcome.',
    labelNames: ['work', 'outcome'],
    registers: [registry],
  });
  // An increase from nothing is none for Prometheus: the first failure of a process would raise no alarm.
  for (const work of works) for (const outcome of ['failed', 'dropped']) ended.inc({ work, outcome }, 0);
  const running = new Set<Promise<void>>();
  return {
    run: (name, work) => {
      if (running.size >= maxRunning) {
        logger.error({ work: name }, 'too much in the background: dropped');
        ended.inc({ work: name, outcome: 'dropped' });
        return false;
      }
      // Keeps the id of the request that caused it, but not the time that the request has left.
      const requestId = requestIdFrom(currentRequest()?.requestId);
      const started = inRequest(requestId, async () => {
        await setImmediate();
        await work();
      })
        .then(
          () => ended.inc({ work: name, outcome: 'done' }),
          (error: unknown) => {
            logger.error({ err: error, work: name }, 'background work failed');
            ended.inc({ work: name, outcome: 'failed' });
          },
        )
        .then(() => void running.delete(started));
      running.add(started);
      return true;
    },
    settle: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
