import type { Platform } from './platform.ts';
import { query } from './postgres.ts';

/** Windows of throttles, which are fixed: a quarter of an hour or an hour. */
export interface ThrottleWindows {
  /** Moves all counts into the past. */
  pass(): Promise<void>;
  /** A test whose counts belong to one window: when a quarter of an hour began meanwhile, it is run once more. */
  inOne(run: () => Promise<void>): () => Promise<void>;
}

/** @param platform called when a test runs */
export function throttleWindows(platform: () => Pick<Platform, 'databases'>): ThrottleWindows {
  let hours = 1;
  // Each time they move further than all times before, so that no two of them meet.
  const pass = async () => {
    hours *= 2;
    const move = 'UPDATE throttle_counts SET window_start = window_start - make_interval(hours => $1)';
    await query(platform().databases.identity, move, [hours]);
  };
  // Hours begin with quarters.
  const quarter = async () => {
    const text = "SELECT date_bin('15 minutes', clock_timestamp(), 'epoch')::text AS start";
    return (await query<{ start: string }>(platform().databases.identity, text))[0]?.start;
  };
  return {
    pass,
    inOne: (run) => async () => {
      const before = await quarter();
      try {
        await run();
      } catch (error) {
        if ((await quarter()) === before) throw error;
        await pass();
        await run();
      }
    },
  };
}
