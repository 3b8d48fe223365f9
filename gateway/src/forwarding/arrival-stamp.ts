import { randomBytes } from 'node:crypto';

/** Writes when a request arrived. @param arrivedAt monotonic milliseconds */
export type ArrivalStamp = (arrivedAt: number) => string;

/**
 * Header X-Gateway-Arrival: a name of this process, and on its monotonic clock, in milliseconds, when the request arrived and
 * when it is sent. identity-service compares the clocks by the second number, so that no gateway's time of day counts.
 * @param monotonicNow milliseconds
 */
export function createArrivalStamp(monotonicNow: () => number): ArrivalStamp {
  const clock = randomBytes(9).toString('base64url');
  return (arrivedAt) => `${clock} ${arrivedAt.toFixed(3)} ${monotonicNow().toFixed(3)}`;
}
