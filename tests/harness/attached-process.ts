import type { Child, Exit } from '../../deploy/local/process/child.ts';
import { processStart, sendSignal } from '../../deploy/local/process/record.ts';

/** Identifies a process permanently, since pids are reused. */
export interface ProcessId {
  readonly pid: number;
  readonly startedAt: string | undefined;
}

/** Operations of tests on a process. */
export type TestProcess = Pick<Child, 'pid' | 'exited' | 'isRunning' | 'send' | 'stop'>;

export const processId = ({ pid }: Pick<TestProcess, 'pid'>): ProcessId => ({
  pid,
  startedAt: processStart(pid),
});

/** A process that an earlier test file of this worker started. How it ended is not known: `code` is null. */
export function attachProcess({ pid, startedAt }: ProcessId): TestProcess {
  const isRunning = () => startedAt !== undefined && processStart(pid) === startedAt;
  const gone: Exit = { code: null, signal: null };
  const send = (signal: NodeJS.Signals) => void (isRunning() && sendSignal(pid, signal));
  const end = async (limitMs: number) => {
    const giveUpAt = performance.now() + limitMs;
    while (isRunning() && performance.now() < giveUpAt) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  return {
    pid,
    get exited() {
      return end(Number.POSITIVE_INFINITY).then(() => gone);
    },
    isRunning,
    send,
    stop: async (signal, limitMs) => {
      send(signal);
      await end(limitMs);
      send('SIGKILL');
      await end(5_000);
      return gone;
    },
  };
}
