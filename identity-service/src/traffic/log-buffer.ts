import type { RequestRecord, UnlistedRequests } from './request-log.ts';

const minuteMs = 60_000;

export type LogBuffer = ReturnType<typeof createLogBuffer>;

/**
 * Holds records until they are written, `maxRecords` at most; counts by business and minute what finds no room.
 * @param onDropped called with the number of records that found none
 */
export function createLogBuffer(maxRecords: number, onDropped: (records: number) => void) {
  let waiting: RequestRecord[] = [];
  const unlisted = new Map<string, UnlistedRequests>();

  function count({ businessId, minute: at, requests }: UnlistedRequests): void {
    const minute = at - (at % minuteMs);
    const key = `${businessId} ${minute}`;
    const known = unlisted.get(key)?.requests ?? 0;
    unlisted.set(key, { businessId, minute, requests: known + requests });
  }

  function drop(records: readonly RequestRecord[]): void {
    onDropped(records.length);
    for (const { businessId, at: minute } of records) {
      if (businessId !== undefined) count({ businessId, minute, requests: 1 });
    }
  }

  return {
    add: (records: readonly RequestRecord[]): void => {
      const room = Math.max(0, maxRecords - waiting.length);
      waiting.push(...records.slice(0, room));
      if (records.length > room) drop(records.slice(room));
    },
    size: () => waiting.length,
    /** The oldest, which stay until they are removed. */
    first: (max: number): readonly RequestRecord[] => waiting.slice(0, max),
    /** Removes the oldest: they are written. */
    remove: (records: number): void => {
      waiting = waiting.slice(records);
    },
    /** Counts everything that waits as not listed. */
    giveUp: (): void => {
      if (waiting.length > 0) drop(waiting);
      waiting = [];
    },
    takeUnlisted: (): UnlistedRequests[] => {
      const taken = [...unlisted.values()];
      unlisted.clear();
      return taken;
    },
    /** Puts back what could not be stored. */
    putBack: (taken: readonly UnlistedRequests[]): void => {
      for (const each of taken) count(each);
    },
  };
}
