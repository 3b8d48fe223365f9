/** Whose turn an attempt takes. */
export interface Claimant {
  readonly endpointId: string;
  /** The application, or the business without one, that the endpoint belongs to. */
  readonly ownerId: string;
}

export interface FairTurnsOptions {
  /** Attempts in flight in all. */
  readonly total: number;
  /** Attempts in flight per owner. */
  readonly perOwner: number;
  /** Attempts in flight per endpoint at this moment; 0 for one that must wait. */
  readonly endpointLimit: (endpointId: string) => number;
  /** Attempts that may wait, in all and per endpoint. */
  readonly maxWaiting: number;
  readonly maxWaitingPerEndpoint: number;
}

/** Ends a turn; idempotent. */
export type EndTurn = () => void;

type Settle = (turn: EndTurn | undefined) => void;

/** Waiting attempts of an endpoint, first come first served, and the turns that it has. */
interface Lane {
  readonly endpointId: string;
  readonly waiting: Set<Settle>;
  inFlight: number;
}

/** Lanes of an owner; the one whose turn is next stands first. */
interface Owner {
  readonly lanes: Map<string, Lane>;
  inFlight: number;
}

/**
 * Turns at sending, limited in all, per owner and per endpoint. A free turn goes to the next owner in a circle, and there
 * to the next endpoint in a circle: however much one of them has waiting, the others come as often as it does.
 */
export class FairTurns {
  readonly #options: FairTurnsOptions;
  /** Owners with turns or waiting attempts; the one whose turn is next stands first. */
  readonly #owners = new Map<string, Owner>();
  #inFlight = 0;
  #waiting = 0;

  constructor(options: FairTurnsOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * A turn, at once or after a wait. The caller ends it.
   * @param maxWaitMs milliseconds that it may wait
   * @returns undefined when none became free in time, when too many wait, or when `signal` aborted
   */
  take(claimant: Claimant, maxWaitMs: number, signal: AbortSignal): Promise<EndTurn | undefined> {
    const owner = this.#ownerOf(claimant.ownerId);
    const lane = laneOf(owner, claimant.endpointId);
    // One that comes later does not pass those that wait.
    const turn = lane.waiting.size === 0 ? this.#start(claimant.ownerId, owner, lane) : undefined;
    if (turn !== undefined) return Promise.resolve(turn);
    if (signal.aborted || this.#isFull(lane)) {
      this.#forgetIdle(claimant.ownerId, owner, lane);
      return Promise.resolve(undefined);
    }
    return this.#wait(claimant, owner, lane, maxWaitMs, signal);
  }

  /** Whether an attempt would have to wait: what is claimed from the queue meanwhile only fills memory. */
  isBusy({ endpointId, ownerId }: Claimant): boolean {
    const { total, perOwner, endpointLimit } = this.#options;
    const owner = this.#owners.get(ownerId);
    const lane = owner?.lanes.get(endpointId);
    return (
      this.#inFlight >= total ||
      (owner?.inFlight ?? 0) >= perOwner ||
      (lane?.inFlight ?? 0) >= endpointLimit(endpointId) ||
      (lane?.waiting.size ?? 0) > 0
    );
  }

  #wait(
    { ownerId }: Claimant,
    owner: Owner,
    lane: Lane,
    maxWaitMs: number,
    signal: AbortSignal,
  ): Promise<EndTurn | undefined> {
    return new Promise((resolve) => {
      const settle: Settle = (turn) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        lane.waiting.delete(settle);
        this.#waiting--;
        if (turn === undefined) this.#forgetIdle(ownerId, owner, lane);
        resolve(turn);
      };
      const giveUp = () => settle(undefined);
      const timer = setTimeout(giveUp, maxWaitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      lane.waiting.add(settle);
      this.#waiting++;
      // The limit of an endpoint rises with time too: those before this one may have a turn by now.
      this.#startWaiting();
    });
  }

  #isFull({ waiting }: Lane): boolean {
    const { maxWaiting, maxWaitingPerEndpoint } = this.#options;
    return this.#waiting >= maxWaiting || waiting.size >= maxWaitingPerEndpoint;
  }

  #start(ownerId: string, owner: Owner, lane: Lane): EndTurn | undefined {
    const { total, perOwner, endpointLimit } = this.#options;
    if (this.#inFlight >= total || owner.inFlight >= perOwner) return undefined;
    if (lane.inFlight >= endpointLimit(lane.endpointId)) return undefined;
    this.#count(owner, lane, 1);
    moveToEnd(owner.lanes, lane.endpointId, lane);
    moveToEnd(this.#owners, ownerId, owner);
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.#count(owner, lane, -1);
      this.#forgetIdle(ownerId, owner, lane);
      this.#startWaiting();
    };
  }

  #count(owner: Owner, lane: Lane, by: number): void {
    this.#inFlight += by;
    owner.inFlight += by;
    lane.inFlight += by;
  }

  /** Gives free turns to those that wait, until none of them may have one. */
  #startWaiting(): void {
    while (this.#waiting > 0 && this.#inFlight < this.#options.total && this.#startNext());
  }

  #startNext(): boolean {
    for (const [ownerId, owner] of this.#owners) {
      for (const lane of owner.lanes.values()) {
        const [settle] = lane.waiting;
        const turn = settle === undefined ? undefined : this.#start(ownerId, owner, lane);
        if (settle === undefined || turn === undefined) continue;
        settle(turn);
        return true;
      }
    }
    return false;
  }

  #ownerOf(ownerId: string): Owner {
    const known = this.#owners.get(ownerId);
    if (known !== undefined) return known;
    const owner: Owner = { lanes: new Map(), inFlight: 0 };
    this.#owners.set(ownerId, owner);
    return owner;
  }

  #forgetIdle(ownerId: string, owner: Owner, lane: Lane): void {
    if (lane.inFlight === 0 && lane.waiting.size === 0) owner.lanes.delete(lane.endpointId);
    if (owner.lanes.size === 0) this.#owners.delete(ownerId);
  }
}

function moveToEnd<T>(circle: Map<string, T>, key: string, value: T): void {
  circle.delete(key);
  circle.set(key, value);
}

function laneOf({ lanes }: Owner, endpointId: string): Lane {
  const known = lanes.get(endpointId);
  if (known !== undefined) return known;
  const lane: Lane = { endpointId, waiting: new Set(), inFlight: 0 };
  lanes.set(endpointId, lane);
  return lane;
}
