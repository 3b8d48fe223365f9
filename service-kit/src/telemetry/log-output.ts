import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

const standardOutput = 1;

/** Milliseconds until a write to a full pipe is retried, doubled up to `longest` while it stays full. */
const retryMs = { first: 1, longest: 20 };

/** Milliseconds for which `sendSync` tries. */
const syncLimitMs = 1_000;

/** Milliseconds after which a thread that writes a piece counts as permanently blocked. */
const stuckMs = 2_000;

type Done = (lost?: Buffer) => void;

/** Standard output, written to one piece after the other. */
export class LogOutput {
  readonly #descriptor: number;
  /** Whether a thread writes, because the output may block. A non-blocking pipe accepts at once what it has room for. */
  readonly #usesThread: boolean;
  readonly #mayBlock: boolean;
  #isSending = false;
  /** When the thread got the piece. */
  #sentAt = 0;
  /** The part of the piece that a full pipe did not accept. */
  #refused: Buffer | undefined;
  #retryMs = retryMs.first;

  constructor() {
    const pipe = openPipe();
    this.#descriptor = pipe ?? standardOutput;
    this.#usesThread = pipe === undefined;
    this.#mayBlock = this.#usesThread && hasReader();
  }

  /** Whether a piece is on its way; the next one waits for its end. */
  get isSending(): boolean {
    return this.#isSending;
  }

  /** Whether the output blocks without a reader, so that a write in this thread would not return either. */
  get isStuck(): boolean {
    return this.#mayBlock && this.#isWithThread && performance.now() - this.#sentAt > stuckMs;
  }

  get #isWithThread(): boolean {
    return this.#isSending && this.#refused === undefined;
  }

  /** Writes a piece; calls back with the part of it that cannot be written, if any. */
  send(piece: Buffer, done: Done): void {
    this.#isSending = true;
    this.#refused = undefined;
    if (this.#usesThread) this.#sendWithThread(piece, done);
    else this.#sendNow(piece, done);
  }

  #sendWithThread(piece: Buffer, done: Done): void {
    this.#sentAt = performance.now();
    write(this.#descriptor, piece, (error, written) => {
      if (isFull(error)) this.#sendLater(piece, done);
      else if (!error && written < piece.length) this.send(piece.subarray(written), done);
      else this.#end(done, error ? piece : undefined);
    });
  }

  #sendNow(piece: Buffer, done: Done): void {
    let rest = piece;
    let isLater = false;
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.#descriptor, rest));
    } catch (error) {
      isLater = isFull(error);
    }
    if (isLater) this.#sendLater(rest, done);
    else this.#end(done, rest.length > 0 ? rest : undefined);
  }

  #sendLater(rest: Buffer, done: Done): void {
    this.#refused = rest;
    setTimeout(() => {
      // Unless `sendSync` has written it.
      if (this.#refused) this.send(rest, done);
      else this.#end(done);
    }, this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, retryMs.longest);
  }

  #end(done: Done, lost?: Buffer): void {
    this.#retryMs = retryMs.first;
    this.#isSending = false;
    done(lost);
  }

  /** Writes the pending piece and then these bytes synchronously, as far as the output accepts them within seconds. */
  sendSync(bytes: Buffer): void {
    // A synchronous call cannot see when the thread has finished its piece, so it gives the thread some time.
    if (this.#isWithThread) sleep(syncLimitMs);
    const first = this.#refused ?? Buffer.alloc(0);
    this.#refused = undefined;
    const endsAt = performance.now() + syncLimitMs;
    for (let rest = Buffer.concat([first, bytes]); rest.length > 0 && performance.now() < endsAt; ) {
      try {
        rest = rest.subarray(writeSync(this.#descriptor, rest));
      } catch (error) {
        if (!isFull(error)) return;
        sleep(retryMs.longest);
      }
    }
  }
}

/**
 * Opens the pipe of standard output again in non-blocking mode, without affecting processes that share the descriptor. A
 * thread that is blocked in a write could not be ended, so neither could the process. Undefined if the output is not a pipe
 * or cannot be opened.
 */
function openPipe(): number | undefined {
  try {
    if (!fstatSync(standardOutput).isFIFO()) return undefined;
    return openSync(`/proc/self/fd/${standardOutput}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

/** Whether the output has a reader, which may stop reading, as opposed to a file. */
function hasReader(): boolean {
  try {
    const status = fstatSync(standardOutput);
    return status.isFIFO() || status.isSocket() || isatty(standardOutput);
  } catch {
    return false;
  }
}

const isFull = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EAGAIN';

/** Blocks this thread only. */
const sleep = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
