import type { Environment, TestService } from './service.ts';

/** Milliseconds by which the wall clock is ahead of the monotonic one. */
const aheadMs = () => Date.now() - performance.now();

/** A smaller difference is none that a test sees. */
const jumpMs = 50;

/**
 * A test that compares its own wall clock with that of services over seconds: when the clock of the machine was set
 * meanwhile, it is run once more, after `reset`.
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

/** Moves such a service's clock on, by as much again. */
export function shiftAgain({ pid }: TestService): void {
  process.kill(pid, 'SIGUSR2');
}
