import { experimental, status } from '@grpc/grpc-js';

/** State of one peer. Times are monotonic milliseconds. */
interface Peer {
  /** Calls in flight. */
  pending: number;
  /** Start of the time without any response while calls are in flight. */
  quietSince: number;
  /** Time until which other peers are preferred. */
  avoidUntil: number;
}

/** Time without any response after which a peer counts as silent. */
const patienceMs = 50;

/** Time for which other peers are preferred after a call to a silent peer was cancelled. Then one call tries it again. */
const avoidMs = 1_000;

export function newPeer(): Peer {
  return { pending: 0, quietSince: 0, avoidUntil: 0 };
}

/** Whether other peers should be preferred, because a frozen process keeps its connections but never responds. */
export function isSilent({ pending, quietSince, avoidUntil }: Peer, now: number): boolean {
  return now < avoidUntil || (pending > 0 && now - quietSince > patienceMs);
}

export function noteCallStarted(peer: Peer, now: number): void {
  if (peer.pending === 0) peer.quietSince = now;
  peer.pending++;
}

/** `responded` is false for a call that was cancelled or timed out. */
export function noteCallEnded(peer: Peer, responded: boolean, now: number): void {
  if (responded) {
    peer.quietSince = now;
    peer.avoidUntil = 0;
  } else if (isSilent(peer, now)) {
    peer.avoidUntil = now + avoidMs;
  }
  peer.pending--;
}

/*
 * Round robin that skips silent peers. Plain round robin uses a frozen process until keep-alive closes the connection,
 * seconds later, and may send the second attempt of a hedged call there as well.
 */
export const balancerName = 'responsive_round_robin';

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

/**
 * Milliseconds between lookups of the target's name. grpc-js by itself only repeats them when a connection is lost, so added
 * replicas would get no calls.
 */
const lookupMs = 10_000;

const roundRobin = experimental.parseLoadBalancingConfig({ round_robin: {} });

class ResponsiveRoundRobin implements experimental.LoadBalancer {
  readonly #child: experimental.ChildLoadBalancerHandler;
  readonly #peers = new WeakMap<Subchannel, Peer>();
  readonly #lookups: NodeJS.Timeout;
  #addresses = 1;

  constructor(channel: experimental.ChannelControlHelper) {
    const helper = experimental.createChildChannelControlHelper(channel, {
      updateState: (state, picker, message) =>
        channel.updateState(state, { pick: (args) => this.#pick(picker, args) }, message),
    });
    this.#child = new experimental.ChildLoadBalancerHandler(helper);
    this.#lookups = setInterval(() => channel.requestReresolution(), lookupMs).unref();
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
    clearInterval(this.#lookups);
    this.#child.destroy();
  }
  getTypeName(): string {
    return balancerName;
  }

  /** Skips silent peers; when all are silent, the next one in turn gets the call. */
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

const unanswered: ReadonlySet<status> = new Set([status.CANCELLED, status.DEADLINE_EXCEEDED]);

/** The result, with `peer` following the call. */
function observed(result: experimental.PickResult, peer: Peer): experimental.PickResult {
  return {
    ...result,
    onCallStarted: () => {
      noteCallStarted(peer, performance.now());
      result.onCallStarted?.();
    },
    onCallEnded: (code, details, metadata) => {
      noteCallEnded(peer, !unanswered.has(code), performance.now());
      result.onCallEnded?.(code, details, metadata);
    },
  };
}

experimental.registerLoadBalancerType(balancerName, ResponsiveRoundRobin, BalancerConfig);
