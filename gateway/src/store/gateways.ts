import { z } from 'zod';

/*
 * The gateways that count in one Redis. Each says every 200 ms that it is there, and remembers the others: an empty Redis
 * forgets them.
 */

export interface Gateways {
  /** Ids of all, this one's included. */
  ids(): string[];
  /**
   * Hears a heartbeat's reply.
   * @returns Redis's clock, milliseconds
   */
  hear(reply: unknown): number;
  /** Redis was out of sight. */
  lose(): void;
  /** Has every other gateway been heard since Redis was out of sight? Not for long is a silent one waited for. */
  areHeard(): boolean;
  /** See `Surroundings.shareOfUnknown`. */
  shareOfUnknown(): number;
}

/** Milliseconds that a silent gateway is waited for. */
const waitMs = 2_000;
/** Own heartbeats (half a minute of them) after which a gateway that made none meanwhile counts as gone. */
const goneAfter = 150;
/** As long as a ring is remembered: whoever has been here so long has been told of every caller. */
const ringMs = 3_720_000;
/** Parts of the limit: without any knowledge; and where callers may be known to others only. Four gateways are expected. */
const expectedShare = 1 / 4;
const lateShare = 1 / 16;

const replyShape = z.tuple([z.number()], z.string());

interface Peer {
  /** Redis's time of its last heartbeat. */
  heardAt: number;
  /** Own heartbeats since that has changed. */
  missed: number;
}

export function createGateways(ownId: string, monotonicNow: () => number): Gateways {
  const peers = new Map<string, Peer>();
  /** Redis's time, and the monotonic one, at the first reply since Redis was out of sight. */
  let contact: { readonly at: number; readonly since: number } | undefined;
  /** Monotonic time from which on no caller can have been counted before this gateway could hear of it. */
  let knowsAllFrom: number | undefined;

  function hearPeer(id: string, heardAt: number): void {
    const known = peers.get(id);
    if (heardAt < 0) peers.delete(id);
    else if (known?.heardAt !== heardAt) peers.set(id, { heardAt, missed: 0 });
  }

  const present = () => [...peers].filter(([, { missed }]) => missed <= goneAfter);

  function areHeard(): boolean {
    if (contact === undefined) return false;
    const { at, since } = contact;
    return monotonicNow() - since >= waitMs || present().every(([, { heardAt }]) => heardAt > at);
  }

  return {
    ids: () => [ownId, ...present().map(([id]) => id)],
    hear: (reply) => {
      const [now, ...fields] = replyShape.parse(reply);
      contact ??= { at: now, since: monotonicNow() };
      let touchedAt = Number.NEGATIVE_INFINITY;
      for (let i = 0; i + 1 < fields.length; i += 2) {
        const [id = '', time] = [fields[i], Number(fields[i + 1])];
        if (id === 'touched') touchedAt = time;
        else if (id !== ownId) hearPeer(id, time);
      }
      for (const peer of peers.values()) peer.missed++;
      if (areHeard()) knowsAllFrom ??= monotonicNow() + Math.max(0, touchedAt + ringMs - now);
      return now;
    },
    lose: () => {
      contact = undefined;
      for (const [, peer] of present()) peer.missed = 0;
    },
    areHeard,
    shareOfUnknown: () => {
      if (knowsAllFrom === undefined) return expectedShare;
      return monotonicNow() >= knowsAllFrom ? 1 / (present().length + 1) : lateShare;
    },
  };
}
