/** What is known of how one peer answers. Times are monotonic milliseconds. */
export interface Peer {
  /** Calls under way. */
  pending: number;
  /** Since when calls are under way without any answer. */
  quietSince: number;
  /** Others are preferred until then. */
  avoidUntil: number;
}

/** How long calls may be under way without any answer. */
const patienceMs = 50;
/** How long others are preferred after a call was given up on a silent peer; then one call tries it again. */
const avoidMs = 1_000;

export function newPeer(): Peer {
  return { pending: 0, quietSince: 0, avoidUntil: 0 };
}

/** Whether a call is better sent to another peer: a process that is frozen keeps its connections and answers nothing. */
export function isSilent({ pending, quietSince, avoidUntil }: Peer, now: number): boolean {
  return now < avoidUntil || (pending > 0 && now - quietSince > patienceMs);
}

export function noteCallStarted(peer: Peer, now: number): void {
  if (peer.pending === 0) peer.quietSince = now;
  peer.pending++;
}

/** `answered` is false for a call that was given up. */
export function noteCallEnded(peer: Peer, answered: boolean, now: number): void {
  if (answered) {
    peer.quietSince = now;
    peer.avoidUntil = 0;
  } else if (isSilent(peer, now)) {
    peer.avoidUntil = now + avoidMs;
  }
  peer.pending--;
}
