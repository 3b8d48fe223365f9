import type { Environment, TestService } from './service.ts';

/** Milliseconds by which the wall clock is ahead of the monotonic one. */
const aheadMs = () => Date.now() - performance.now();

/** A smaller difference does not affect tests. */
const jumpMs = 50;

/**
 * Runs a test that compares its wall clock with that of services over seconds. If the clock of the machine was set
 * in the meantime, it runs the test once more after `reset`.
 */
export const onSteadyClock =
  (run: () => Promise<void>, reset: () => Promise<unknown> = async () => undefined) =>
  async (): Promise<void> => {
    const before = aheadMs();
    try {
      await run();
    } catch (error) {
      if (Math.abs(aheadMs() - before) < jumpMs) throw error;
      await reset();
      await run();
    }
  };

const script = new URL('shifted-clock-preload.ts', import.meta.url).href;

/** Variables for a service whose wall clock is to be wrong by so many milliseconds. */
export function shiftedClock(milliseconds: number): Environment {
  return { NODE_OPTIONS: `--import=${script}`, CLOCK_SHIFT_MS: String(milliseconds) };
}

/** Shifts the clock of such a service by the same amount again. */
export function shiftAgain({ pid }: TestService): void {
  process.kill(pid, 'SIGUSR2');
}
