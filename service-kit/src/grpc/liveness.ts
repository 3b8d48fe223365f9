/*
 * A slow peer and a dead one look alike for a while, and deserve the opposite: the one patience, the other a refusal at
 * once. What tells them apart is a sign of life. While calls are under way and nothing at all comes back, the peer is
 * probed; a call during which not even the probe was answered is given up. The time that a single call takes says
 * nothing: a machine that is short of CPU makes all of them slow, and answers one after the other.
 */

/** Watches one peer through the calls that are made to it. */
export interface Liveness {
  /** The result of a call. Rejects with `deadError` when the peer shows no sign of life, and at once when it is dead. */
  watch<T>(call: () => Promise<T>): Promise<T>;
  /** Whether it has been silent for so long that nothing is asked of it until a probe is answered. */
  isDead(): boolean;
  close(): void;
}

export interface LivenessOptions {
  /** Resolves when the peer answers. Has a limit of its own. */
  readonly probe: () => Promise<unknown>;
  /** Whether a call that failed was answered by the peer. */
  readonly isAnswer: (error: unknown) => boolean;
  readonly deadError: () => Error;
  /** Milliseconds without any sign of life after which a call is given up. */
  readonly patienceMs: number;
}

interface Call {
  readonly startedAt: number;
  readonly reject: (error: Error) => void;
}

/** What is known of the peer's silence. Times are monotonic milliseconds. */
interface Silence {
  heardAt: number;
  /** When the first call began that has been without a sign of life; absent while nothing is asked. */
  since: number | undefined;
  /** When the probe was sent that is not answered yet. */
  probedAt: number | undefined;
}

/** Milliseconds between two looks at the clock while calls are under way. */
const lookMs = 15;

/** Milliseconds between two probes of a dead peer. */
const retryMs = 100;

/** Milliseconds without a call after which an earlier silence says nothing any longer. */
const forgetMs = 1_000;

/** What is to be done about a silence. */
function verdictOn({ since, probedAt }: Silence, now: number, patienceMs: number) {
  if (since === undefined) return 'wait';
  if (probedAt === undefined) return now - since > patienceMs / 4 ? 'probe' : 'wait';
  if (now - probedAt < patienceMs / 2) return 'wait';
  return now - since >= 2 * patienceMs ? 'dead' : 'give_up';
}

export function createLiveness(options: LivenessOptions): Liveness {
  const { probe, isAnswer, deadError, patienceMs } = options;
  const calls = new Set<Call>();
  const silence: Silence = { heardAt: 0, since: undefined, probedAt: undefined };
  let looking: NodeJS.Timeout | undefined;
  let reviving: NodeJS.Timeout | undefined;
  let idleSince = 0;
  let dead = false;

  function hear(): void {
    silence.heardAt = performance.now();
    silence.since = calls.size === 0 ? undefined : silence.heardAt;
    silence.probedAt = undefined;
    dead = false;
  }

  function look(): void {
    const now = performance.now();
    if (calls.size === 0) return;
    const verdict = verdictOn(silence, now, patienceMs);
    if (verdict === 'probe') {
      silence.probedAt = now;
      probe().then(hear, () => undefined);
    } else if (verdict === 'give_up') {
      const heard = silence.heardAt;
      giveUp([...calls].filter(({ startedAt }) => now - Math.max(startedAt, heard) >= patienceMs));
    } else if (verdict === 'dead') {
      dead = true;
      giveUp([...calls]);
      void revive();
    }
  }

  function giveUp(lost: readonly Call[]): void {
    for (const call of lost) {
      end(call);
      call.reject(deadError());
    }
  }

  async function revive(): Promise<void> {
    await probe().then(hear, () => undefined);
    if (dead) reviving = setTimeout(() => void revive(), retryMs);
  }

  function begin(call: Call): void {
    if (calls.size === 0) {
      if (call.startedAt - idleSince > forgetMs) silence.since = silence.probedAt = undefined;
      // Timers run before sockets are read, immediates after: what arrived while this process was busy is read first.
      looking = setInterval(() => setImmediate(look), lookMs);
    }
    silence.since ??= call.startedAt;
    calls.add(call);
  }

  function end(call: Call): void {
    if (!calls.delete(call) || calls.size > 0) return;
    clearInterval(looking);
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
      hear();
      return result;
    } catch (error) {
      end(call);
      if (isAnswer(error)) hear();
      throw error;
    }
  }

  return {
    watch,
    isDead: () => dead,
    close: () => {
      dead = false;
      clearInterval(looking);
      clearTimeout(reviving);
    },
  };
}
