/**
 * Calls `log` at most once per interval, for its first event, with the number of events since the last call. Otherwise every
 * request would write a line during an outage.
 * @param now monotonic milliseconds
 */
export function logRarely<Details extends unknown[]>(
  intervalMs: number,
  log: (events: number, ...details: Details) => void,
  now: () => number = () => performance.now(),
): (...details: Details) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let events = 0;
  return (...details) => {
    events++;
    const at = now();
    if (at - loggedAt < intervalMs) return;
    loggedAt = at;
    log(events, ...details);
    events = 0;
  };
}
