import { LRUCache } from 'lru-cache';
import { type ClockOffset, createClockOffset } from './clock-offset.ts';

/**
 * When a request arrived at its gateway, in milliseconds on the monotonic clock of this process; when it arrived here, if
 * the gateway does not say.
 * @param stamp header X-Gateway-Arrival: name of the gateway's clock, arrival and sending on it, in milliseconds
 * @param receivedAt when the request arrived here
 */
export type ArrivalClock = (stamp: string | string[] | undefined, receivedAt: number) => number;

/** Gateways whose clocks are kept. */
const maxGateways = 1_000;

/** Milliseconds for which a gateway holds a request at most; a stamp that says more is not believed. */
const maxHeldMs = 60_000;

const form = /^([\w-]{1,32}) (\d{1,13}(?:\.\d{1,3})?) (\d{1,13}(?:\.\d{1,3})?)$/;

/**
 * A request is received some time after it was sent, so each is an upper bound of the offset between the clocks; the least
 * one of the last seconds is the closest. So a replica that stood still knows when what waits for it arrived.
 */
export function createArrivalClock(): ArrivalClock {
  const offsets = new LRUCache<string, ClockOffset>({ max: maxGateways });
  return (stamp, receivedAt) => {
    const [, clock, arrival, sending] = form.exec(typeof stamp === 'string' ? stamp : '') ?? [];
    if (clock === undefined) return receivedAt;
    const [arrivedAt, sentAt] = [Number(arrival), Number(sending)];
    if (arrivedAt > sentAt || sentAt - arrivedAt > maxHeldMs) return receivedAt;
    const offset = offsets.get(clock) ?? createClockOffset(Math.min);
    offsets.set(clock, offset);
    offset.sample(receivedAt - sentAt, receivedAt);
    return arrivedAt + (offset.value() ?? receivedAt - sentAt);
  };
}
