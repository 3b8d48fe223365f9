import type { Environment, TestService } from './service.ts';

const script = new URL('shifted-clock-preload.ts', import.meta.url).href;

/** Variables for a service whose wall clock is to be wrong by so many milliseconds. */
export function shiftedClock(milliseconds: number): Environment {
  return { NODE_OPTIONS: `--import=${script}`, CLOCK_SHIFT_MS: String(milliseconds) };
}

/** Moves such a service's clock on, by as much again. */
export function shiftAgain({ pid }: TestService): void {
  process.kill(pid, 'SIGUSR2');
}
