/*
 * Calls to a slow peer should wait, calls to a dead peer should fail at once. The duration of a single call cannot distinguish
 * the two: a peer with too little CPU is slow with every call, but still responds to one after another. So the peer is probed
 * while calls are in flight without any response. If even the probe gets no response, these calls are rejected.
 *
 * Time in which this process did not run (on a paused machine, or behind other processes) does not count as silence of the
 * peer, because its responses could not be read.
 */

export interface LivenessOptions {
  /** Resolves when the peer responds. Has its own time limit. */
  readonly probe: () => Promise<unknown>;
  /** Whether an error came from the peer, and so is a sign of life. */
  readonly isResponse: (error: unknown) => boolean;
  readonly deadError: () => Error;
  /** Milliseconds without any sign of life after which a call is rejected. */
  readonly patienceMs: number;
  /** Monotonic milliseconds. */
  readonly monotonicNow?: () => number;
}

interface Call {
  readonly startedAt: number;
  readonly reject: (error: Error) => void;
}

/** Silence of the peer. Times are milliseconds in which this process ran. */
interface Silence {
  /** End of the last call. */
  idleSince: number;
  heardAt: number;
  /** Start of the first call without a sign of life since; undefined without calls. */
  since: number | undefined;
  /** Start of the pending probe. */
  probedAt: number | undefined;
}

/** Milliseconds between two checks while calls are in flight. */
const checkMs = 15;

/** A longer time between two checks means that this process did not run. */
const longestGapMs = 2 * checkMs;

/** Milliseconds between two probes of a dead peer. */
const retryMs = 100;

/** Milliseconds without a call after which an earlier silence is forgotten. */
const forgetMs = 1_000;

/** The next step in a silence. */
function nextStep({ since, probedAt }: Silence, now: number, patienceMs: number) {
  if (since === undefined) return 'wait';
  if (probedAt === undefined) return now - since > patienceMs / 4 ? 'probe' : 'wait';
  if (now - probedAt < patienceMs / 2) return 'wait';
  return now - since >= 2 * patienceMs ? 'dead' : 'reject';
}

/** Milliseconds in which this process ran, between `resume` and the regular ticks after it. */
class RunningClock {
  readonly #monotonicNow: () => number;
  #missedMs = 0;
  #tickedAt = 0;

  constructor(monotonicNow = () => performance.now()) {
    this.#monotonicNow = monotonicNow;
  }

  now(): number {
    return this.#monotonicNow() - this.#missedMs;
  }

  resume(): number {
    this.#tickedAt = this.now();
    return this.#tickedAt;
  }

  tick(): number {
    this.#missedMs += Math.max(0, this.now() - this.#tickedAt - longestGapMs);
    return this.resume();
  }
}

/** Watches one peer through the calls that are made to it. */
export class Liveness {
  readonly #options: LivenessOptions;
  readonly #clock: RunningClock;
  readonly #calls = new Set<Call>();
  readonly #silence: Silence = { idleSince: 0, heardAt: 0, since: undefined, probedAt: undefined };
  #checking: NodeJS.Timeout | undefined;
  #reviving: NodeJS.Timeout | undefined;
  #isDead = false;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#clock = new RunningClock(options.monotonicNow);
  }

  /** Whether calls are rejected until a probe succeeds. */
  isDead(): boolean {
    return this.#isDead;
  }

  /** The result of a call. Rejects with `deadError` when the peer shows no sign of life, and at once while it is dead. */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isDead) throw this.#options.deadError();
    const lost = Promise.withResolvers<never>();
    const call = { startedAt: this.#clock.now(), reject: lost.reject };
    this.#begin(call);
    try {
      const result = await Promise.race([work(), lost.promise]);
      this.#end(call);
      this.#noteResponse();
      return result;
    } catch (error) {
      this.#end(call);
      if (this.#options.isResponse(error)) this.#noteResponse();
      throw error;
    }
  }

  close(): void {
    this.#isDead = false;
    clearInterval(this.#checking);
    clearTimeout(this.#reviving);
  }

  #begin(call: Call): void {
    if (this.#calls.size === 0) {
      const silence = this.#silence;
      if (call.startedAt - silence.idleSince > forgetMs) silence.since = silence.probedAt = undefined;
      this.#clock.resume();
      // Timers run before sockets are read, immediates after. So responses that arrived while this process was busy count.
      this.#checking = setInterval(() => setImmediate(() => this.#check()), checkMs);
    }
    this.#silence.since ??= call.startedAt;
    this.#calls.add(call);
  }

  #end(call: Call): void {
    if (!this.#calls.delete(call) || this.#calls.size > 0) return;
    clearInterval(this.#checking);
    this.#silence.idleSince = this.#clock.now();
  }

  #check(): void {
    if (this.#calls.size === 0) return;
    const { patienceMs } = this.#options;
    const now = this.#clock.tick();
    const step = nextStep(this.#silence, now, patienceMs);
    if (step === 'probe') {
      this.#silence.probedAt = now;
      void this.#probe();
    } else if (step === 'reject') {
      if (now - this.#silence.heardAt >= patienceMs) this.#rejectCalls(now - patienceMs);
    } else if (step === 'dead') {
      this.#isDead = true;
      this.#rejectCalls(now);
      void this.#revive();
    }
  }

  #probe(): Promise<void> {
    return this.#options.probe().then(
      () => this.#noteResponse(),
      () => undefined,
    );
  }

  #noteResponse(): void {
    const silence = this.#silence;
    silence.heardAt = this.#clock.now();
    silence.since = this.#calls.size === 0 ? undefined : silence.heardAt;
    silence.probedAt = undefined;
    this.#isDead = false;
  }

  #rejectCalls(startedUntil: number): void {
    for (const call of [...this.#calls].filter(({ startedAt }) => startedAt <= startedUntil)) {
      this.#end(call);
      call.reject(this.#options.deadError());
    }
  }

  async #revive(): Promise<void> {
    await this.#probe();
    if (this.#isDead) this.#reviving = setTimeout(() => void this.#revive(), retryMs);
  }
}
