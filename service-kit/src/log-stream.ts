import { write, writeSync } from 'node:fs';

/** Where log lines go. */
export interface LogStream {
  /** Takes one line, with its end. */
  write(line: string): void;
  /** Calls back when everything so far is written, or given up. */
  flush(done?: () => void): void;
  /** Writes everything so far before it returns. */
  flushSync(): void;
}

const output = 1;

/** Characters that are written at once: a thread of its own writes them, and on one core it interrupts this one each time. */
const pieceLength = 61_440;

/** Milliseconds after which less is written, too. */
const flushEveryMs = 200;

/** Characters that wait while the output takes nothing; further lines are dropped. */
const maxHeld = 4_194_304;

/** Milliseconds until a full pipe is tried again, and for which `flushSync` tries. */
const retryMs = 20;

const syncLimitMs = 1_000;

/**
 * Standard output, written to asynchronously and in pieces; what is left is written when the process ends. Lines that cannot
 * be written, on a full disk or to a reader that reads nothing, are dropped, and the next that can says how many: neither
 * may stop a service. pino's own stream ends the process then, and measures all that it holds at each line.
 */
export function createLogStream(): LogStream {
  let held = '';
  let dropped = 0;
  let isWriting = false;
  /** The piece that a full pipe did not take. */
  let refused: Buffer | undefined;
  const waiting: (() => void)[] = [];
  let beginsSoon = false;

  /** No timer where nothing waits: an idle process stays asleep. */
  function beginSoon(): void {
    if (beginsSoon) return;
    beginsSoon = true;
    setTimeout(() => {
      beginsSoon = false;
      begin();
    }, flushEveryMs).unref();
  }

  function take(): Buffer {
    const lines = dropped > 0 ? `${held}${droppedLine(dropped)}` : held;
    held = '';
    dropped = 0;
    return Buffer.from(lines);
  }

  function begin(): void {
    if (isWriting) return;
    if (held === '') {
      for (const done of waiting.splice(0)) done();
      return;
    }
    isWriting = true;
    writePiece(take());
  }

  function writePiece(piece: Buffer): void {
    refused = undefined;
    write(output, piece, (error, written) => {
      if (error?.code === 'EAGAIN') {
        refused = piece;
        setTimeout(() => (refused ? writePiece(refused) : endPiece()), retryMs);
        return;
      }
      if (error) dropped += linesIn(piece);
      else if (written < piece.length) return writePiece(piece.subarray(written));
      endPiece();
    });
  }

  function endPiece(): void {
    isWriting = false;
    if (held.length >= pieceLength || waiting.length > 0) begin();
    else if (held !== '') beginSoon();
  }

  function flushSync(): void {
    // The end of a piece with its thread cannot be seen from here, and on a busy machine that waits for a core.
    if (isWriting && refused === undefined) sleep(syncLimitMs);
    const first = refused ?? Buffer.alloc(0);
    refused = undefined;
    writeNow(Buffer.concat([first, take()]));
  }

  process.on('exit', flushSync);
  return {
    write: (line) => {
      if (held.length >= maxHeld) {
        dropped++;
        return;
      }
      held += line;
      if (held.length >= pieceLength) begin();
      else beginSoon();
    },
    flush: (done) => {
      if (done) waiting.push(done);
      begin();
    },
    flushSync,
  };
}

/** Writes before it returns what the output takes within a second. */
function writeNow(bytes: Buffer): void {
  const endsAt = performance.now() + syncLimitMs;
  for (let rest = bytes; rest.length > 0 && performance.now() < endsAt; ) {
    try {
      rest = rest.subarray(writeSync(output, rest));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return;
      sleep(retryMs);
    }
  }
}

/** Stops this thread alone. */
const sleep = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const droppedLine = (lines: number) =>
  `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), lines, msg: 'log lines were dropped' })}\n`;

const linesIn = (piece: Buffer) => piece.reduce((lines, byte) => (byte === 0x0a ? lines + 1 : lines), 0);
