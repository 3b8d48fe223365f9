/*
 * A slow peer needs patience, a dead one a refusal at once. The time of a single call does not distinguish them: a peer
 * that is short of CPU is slow with every call, and still responds to one after another. So while calls are in flight
 * and nothing at all comes back, the peer is probed; calls during which not even the probe succeeds are rejected.
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
}

interface Call {
  readonly startedAt: number;
  readonly reject: (error: Error) => void;
}

/** Silence of the peer. Times are monotonic milliseconds. */
interface Silence {
  heardAt: number;
  /** Start of the first call without a sign of life since; undefined without calls. */
  since: number | undefined;
  /** Start of the pending probe. */
  probedAt: number | undefined;
}

/** Milliseconds between two checks while calls are in flight. */
const checkMs = 15;

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

export function createLiveness(options: LivenessOptions): Liveness {
  const { probe, isResponse, deadError, patienceMs } = options;
  const calls = new Set<Call>();
  const silence: Silence = { heardAt: 0, since: undefined, probedAt: undefined };
  let checking: NodeJS.Timeout | undefined;
  let reviving: NodeJS.Timeout | undefined;
  let idleSince = 0;
  let dead = false;

  function noteResponse(): void {
    silence.heardAt = performance.now();
    silence.since = calls.size === 0 ? undefined : silence.heardAt;
    silence.probedAt = undefined;
    dead = false;
  }

  function check(): void {
    const now = performance.now();
    if (calls.size === 0) return;
    const step = nextStep(silence, now, patienceMs);
    if (step === 'probe') {
      silence.probedAt = now;
      probe().then(noteResponse, () => undefined);
    } else if (step === 'reject') {
      const heardAt = silence.heardAt;
      rejectCalls([...calls].filter(({ startedAt }) => now - Math.max(startedAt, heardAt) >= patienceMs));
    } else if (step === 'dead') {
      dead = true;
      rejectCalls([...calls]);
      void revive();
    }
  }

  function rejectCalls(lost: readonly Call[]): void {
    for (const call of lost) {
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
      if (call.startedAt - idleSince > forgetMs) silence.since = silence.probedAt = undefined;
      // Timers run before sockets are read, immediates after: responses that arrived while this process was busy count.
      checking = setInterval(() => setImmediate(check), checkMs);
    }
    silence.since ??= call.startedAt;
    calls.add(call);
  }

  function end(call: Call): void {
    if (!calls.delete(call) || calls.size > 0) return;
    clearInterval(checking);
    idleSince = performance.now();
  }

  async function watch<T>(work: () => Promise<T>): Promise<T> {
    if (dead) throw deadError();
    const lost = Promise.withResolvers<never>();
    const call = { startedAt: performance.now(), reject: lost.reject };
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
