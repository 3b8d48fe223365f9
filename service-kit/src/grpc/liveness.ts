/*
 * A slow peer needs patience, a dead one a refusal at once. The time of a single call does not distinguish them: a peer
 * that is short of CPU is slow with every call, and still responds to one after another. So while calls are in flight
 * and nothing at all comes back, the peer is probed; calls during which not even the probe succeeds are rejected.
 *
 * Time in which this process did not run (a machine that was paused, a scheduler with others to serve) is no silence of the
 * peer: what it sent in the meantime could not be read.
 */

/** Watches one peer through the calls that are made to it. */
export interface Liveness {
  /** The result of a call. Rejects with `deadError` when the peer shows no sign of life; at once while it is dead. */
  watch<T>(call: () => Promise<T>): Promise<T>;
  /** Whether calls are rejected until a probe succeeds. */
  isDead(): boolean;
  close(): void;
}

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

/** Milliseconds between two checks beyond which this process did not run. */
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
function runningClock(monotonicNow = () => performance.now()) {
  let missedMs = 0;
  let tickedAt = 0;
  const now = () => monotonicNow() - missedMs;
  const resume = () => {
    tickedAt = now();
    return tickedAt;
  };
  const tick = () => {
    missedMs += Math.max(0, now() - tickedAt - longestGapMs);
    return resume();
  };
  return { now, resume, tick };
}

export function createLiveness(options: LivenessOptions): Liveness {
  const { probe, isResponse, deadError, patienceMs } = options;
  const clock = runningClock(options.monotonicNow);
  const calls = new Set<Call>();
  const silence: Silence = { idleSince: 0, heardAt: 0, since: undefined, probedAt: undefined };
  let checking: NodeJS.Timeout | undefined;
  let reviving: NodeJS.Timeout | undefined;
  let dead = false;

  function noteResponse(): void {
    silence.heardAt = clock.now();
    silence.since = calls.size === 0 ? undefined : silence.heardAt;
    silence.probedAt = undefined;
    dead = false;
  }

  function check(): void {
    if (calls.size === 0) return;
    const now = clock.tick();
    const step = nextStep(silence, now, patienceMs);
    if (step === 'probe') {
      silence.probedAt = now;
      probe().then(noteResponse, () => undefined);
    } else if (step === 'reject') {
      if (now - silence.heardAt >= patienceMs) rejectCalls(now - patienceMs);
    } else if (step === 'dead') {
      dead = true;
      rejectCalls(now);
      void revive();
    }
  }

  function rejectCalls(startedUntil: number): void {
    for (const call of [...calls].filter(({ startedAt }) => startedAt <= startedUntil)) {
      end(call);
      call.reject(deadError());
    }
  }

  async function revive(): Promise<void> {
    await probe().then(noteResponse, () => undefined);
    if (dead) reviving = setTimeout(() => void revive(), retryMs);
  }

  function begin(call: Call): void {
    if (calls.size === 0) {
      if (call.startedAt - silence.idleSince > forgetMs) silence.since = silence.probedAt = undefined;
      clock.resume();
      // Timers run before sockets are read, immediates after: responses that arrived while this process was busy count.
      checking = setInterval(() => setImmediate(check), checkMs);
    }
    silence.since ??= call.startedAt;
    calls.add(call);
  }

  function end(call: Call): void {
    if (!calls.delete(call) || calls.size > 0) return;
    clearInterval(checking);
    silence.idleSince = clock.now();
  }

  async function watch<T>(work: () => Promise<T>): Promise<T> {
    if (dead) throw deadError();
    const lost = Promise.withResolvers<never>();
    const call = { startedAt: clock.now(), reject: lost.reject };
    begin(call);
    try {
      const result = await Promise.race([work(), lost.promise]);
      end(call);
      noteResponse();
      return result;
    } catch (error) {
      end(call);
      if (isResponse(error)) noteResponse();
      throw error;
    }
  }

  return {
    watch,
    isDead: () => dead,
    close: () => {
      dead = false;
      clearInterval(checking);
      clearTimeout(reviving);
    },
  };
}
