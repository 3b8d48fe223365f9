/** Milliseconds for which a sample counts at least; after that the clocks may have drifted. */
const windowMs = 5_000;

/** How far one clock is ahead of another, in milliseconds, by samples that all err to the same side. */
export interface ClockOffset {
  /** @param at when the sample was taken, in milliseconds on the monotonic clock of this process */
  sample(offset: number, at: number): void;
  /** The closest sample of the last seconds; undefined without any. */
  value(): number | undefined;
}

interface Window {
  readonly startedAt: number;
  readonly offset: number;
}

/** @param closest `Math.max` for samples that are lower bounds, `Math.min` for upper bounds */
export function createClockOffset(closest: (one: number, other: number) => number): ClockOffset {
  let current: Window | undefined;
  let previous: Window | undefined;
  return {
    sample: (offset, at) => {
      const age = current === undefined ? Number.POSITIVE_INFINITY : at - current.startedAt;
      if (current !== undefined && age < windowMs) {
        current = { startedAt: current.startedAt, offset: closest(current.offset, offset) };
        return;
      }
      previous = age < 2 * windowMs ? current : undefined;
      current = { startedAt: at, offset };
    },
    value: () =>
      current === undefined || previous === undefined
        ? current?.offset
        : closest(current.offset, previous.offset),
  };
}
