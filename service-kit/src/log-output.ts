import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';

const standardOutput = 1;

/** Milliseconds until a full pipe is tried again, doubled up to the longest while it stays full. */
const retryMs = { first: 1, longest: 20 };

/** Milliseconds for which `sendSync` tries. */
const syncLimitMs = 1_000;

/** Milliseconds that a thread has for a piece; after them it is taken to be blocked for good. */
const stuckMs = 2_000;

/** Standard output, to which a thread writes one piece after the other. */
export class LogOutput {
  readonly #descriptor = openOutput();
  #isSending = false;
  /** When the thread got the piece. */
  #sentAt = 0;
  /** The piece that a full pipe did not take. */
  #refused: Buffer | undefined;
  #retryMs = retryMs.first;

  /** Whether a piece is on its way; the next one waits for its end. */
  get isSending(): boolean {
    return this.#isSending;
  }

  /** Whether the output blocks and nothing reads it: a write of this thread would not return either. */
  get isStuck(): boolean {
    const blocks = this.#descriptor === standardOutput;
    return blocks && this.#isWithThread && performance.now() - this.#sentAt > stuckMs;
  }

  get #isWithThread(): boolean {
    return this.#isSending && this.#refused === undefined;
  }

  /** Writes a piece; calls back with the part of it that cannot be written, if any. */
  send(piece: Buffer, done: (lost?: Buffer) => void): void {
    this.#isSending = true;
    this.#refused = undefined;
    this.#sentAt = performance.now();
    write(this.#descriptor, piece, (error, written) => {
      if (error?.code === 'EAGAIN') return this.#sendLater(piece, done);
      this.#retryMs = retryMs.first;
      if (!error && written < piece.length) return this.send(piece.subarray(written), done);
      this.#isSending = false;
      done(error ? piece : undefined);
    });
  }

  #sendLater(piece: Buffer, done: (lost?: Buffer) => void): void {
    this.#refused = piece;
    setTimeout(() => {
      if (this.#refused) return this.send(piece, done);
      // `sendSync` has written it.
      this.#isSending = false;
      done();
    }, this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, retryMs.longest);
  }

  /** Writes the piece on its way and then these bytes before it returns, as far as the output takes them within seconds. */
  sendSync(bytes: Buffer): void {
    // The end of a piece with its thread cannot be seen from here, and on a busy machine that waits for a core.
    if (this.#isWithThread) sleep(syncLimitMs);
    const first = this.#refused ?? Buffer.alloc(0);
    this.#refused = undefined;
    const endsAt = performance.now() + syncLimitMs;
    for (let rest = Buffer.concat([first, bytes]); rest.length > 0 && performance.now() < endsAt; ) {
      try {
        rest = rest.subarray(writeSync(this.#descriptor, rest));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return;
        sleep(retryMs.longest);
      }
    }
  }
}

/**
 * A pipe is opened once more, so that writes to it do not block, whatever others that share the descriptor need: a process ends
 * after all its threads, and nothing ends one that waits in a write.
 */
function openOutput(): number {
  try {
    if (!fstatSync(standardOutput).isFIFO()) return standardOutput;
    return openSync(`/proc/self/fd/${standardOutput}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return standardOutput;
  }
}

/** Stops this thread alone. */
const sleep = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
