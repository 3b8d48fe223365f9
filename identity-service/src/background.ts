import type { Logger } from '@platform/service-kit/logger.ts';
import { currentRequest, inRequest, requestIdFrom } from '@platform/service-kit/request-context.ts';

/** Work that no answer waits for. */
export interface Background {
  /** Starts `work`; a failure is logged under `name`. Refuses, and logs it, when too much is under way. */
  run(name: string, work: () => Promise<unknown>): void;
  /** Resolves when nothing is under way any more. */
  settle(): Promise<void>;
}

/** Every piece of work has deadlines of its own; this bounds how many there are. */
const maxUnderWay = 200;

export function createBackground(logger: Logger): Background {
  const underWay = new Set<Promise<void>>();
  return {
    run: (name, work) => {
      if (underWay.size >= maxUnderWay) {
        logger.error({ work: name }, 'too much in the background: dropped');
        return;
      }
      // Under the id of the request that caused it, but with its own time to wait.
      const requestId = requestIdFrom(currentRequest()?.requestId);
      const running = inRequest(requestId, work)
        .catch((error: unknown) => logger.error({ err: error, work: name }, 'background work failed'))
        .then(() => void underWay.delete(running));
      underWay.add(running);
    },
    settle: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
