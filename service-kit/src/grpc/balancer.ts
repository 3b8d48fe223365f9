import { experimental, status } from '@grpc/grpc-js';

/** What is known of how one peer answers. Times are monotonic milliseconds. */
interface Peer {
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

/*
 * Round robin around peers that have fallen silent. Plain round robin goes on to use a frozen process until keep-alive
 * gives its connection up, seconds later, and may send the second attempt of a hedged call there as well.
 */
export const balancerName = 'answering_round_robin';

type Subchannel = experimental.SubchannelInterface;

class BalancerConfig implements experimental.TypedLoadBalancingConfig {
  getLoadBalancerName(): string {
    return balancerName;
  }
  toJsonObject(): object {
    return { [balancerName]: {} };
  }
  static createFromJson(): BalancerConfig {
    return new BalancerConfig();
  }
}

const roundRobin = experimental.parseLoadBalancingConfig({ round_robin: {} });

class AnsweringRoundRobin implements experimental.LoadBalancer {
  readonly #child: experimental.ChildLoadBalancerHandler;
  readonly #peers = new WeakMap<Subchannel, Peer>();
  #addresses = 1;

  constructor(channel: experimental.ChannelControlHelper) {
    const helper = experimental.createChildChannelControlHelper(channel, {
      updateState: (state, picker, message) =>
        channel.updateState(state, { pick: (args) => this.#pick(picker, args) }, message),
    });
    this.#child = new experimental.ChildLoadBalancerHandler(helper);
  }

  updateAddressList(...[list, , options, note]: Parameters<experimental.LoadBalancer['updateAddressList']>) {
    if (list.ok) this.#addresses = list.value.length;
    return this.#child.updateAddressList(list, roundRobin, options, note);
  }
  exitIdle(): void {
    this.#child.exitIdle();
  }
  resetBackoff(): void {
    this.#child.resetBackoff();
  }
  destroy(): void {
    this.#child.destroy();
  }
  getTypeName(): string {
    return balancerName;
  }

  /** When every peer is silent it is the next one's turn: one more pick than there are peers moves the turn on. */
  #pick(picker: experimental.Picker, args: experimental.PickArgs): experimental.PickResult {
    let result = picker.pick(args);
    for (let skipped = 0; skipped < this.#addresses; skipped++) {
      if (result.subchannel === null || !isSilent(this.#peer(result.subchannel), performance.now())) break;
      result = picker.pick(args);
    }
    return result.subchannel === null ? result : observed(result, this.#peer(result.subchannel));
  }

  #peer(subchannel: Subchannel): Peer {
    const known = this.#peers.get(subchannel);
    if (known !== undefined) return known;
    const created = newPeer();
    this.#peers.set(subchannel, created);
    return created;
  }
}

const givenUp: ReadonlySet<status> = new Set([status.CANCELLED, status.DEADLINE_EXCEEDED]);

/** The result, telling `peer` of the call. */
function observed(result: experimental.PickResult, peer: Peer): experimental.PickResult {
  return {
    ...result,
    onCallStarted: () => {
      noteCallStarted(peer, performance.now());
      result.onCallStarted?.();
    },
    onCallEnded: (code, details, metadata) => {
      noteCallEnded(peer, !givenUp.has(code), performance.now());
      result.onCallEnded?.(code, details, metadata);
    },
  };
}

experimental.registerLoadBalancerType(balancerName, AnsweringRoundRobin, BalancerConfig);
