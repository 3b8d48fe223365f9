import { LogOutput } from './log-output.ts';

/** Where log lines go. */
export interface LogStream {
  /** Takes one line, with its end. */
  write(line: string): void;
  /** Calls back when everything so far is written, or given up. */
  flush(done?: () => void): void;
  /** Writes everything so far before it returns, or gives it up. */
  flushSync(): void;
}

/** Characters that are written together, because every write by another thread interrupts this one on a single core. */
const pieceLength = 61_440;

/** Milliseconds after which a smaller amount is written as well. */
const flushEveryMs = 200;

/** Maximum characters that are held while the output accepts nothing. Further lines are dropped. */
const maxHeld = 4_194_304;

/**
 * Writes standard output asynchronously and in pieces; the rest is written when the process ends. Lines that cannot be written,
 * because of a full disk or a reader that does not read, are dropped, and the next line says how many: neither may stop a
 * service. pino's own stream would end the process, and measures all held text at each line.
 */
export function createLogStream(): LogStream {
  const output = new LogOutput();
  let held = '';
  let dropped = 0;
  const waiting: (() => void)[] = [];
  let beginsSoon = false;

  /** Starts a timer only if something is held, so that an idle process stays asleep. */
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
    if (output.isSending) return;
    if (held === '') {
      for (const done of waiting.splice(0)) done();
      return;
    }
    output.send(take(), (lost) => {
      if (lost) dropped += linesIn(lost);
      if (held.length >= pieceLength || waiting.length > 0) begin();
      else if (held !== '') beginSoon();
    });
  }

  function flushSync(): void {
    if (!output.isStuck) output.sendSync(take());
  }

  process.on('exit', () => {
    // Node would wait for the blocked thread.
    if (output.isStuck) killProcess();
    flushSync();
  });
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

function killProcess(): void {
  process.kill(process.pid, 'SIGKILL');
  // The first process of a container cannot kill itself.
  process.abort();
}

const droppedLine = (lines: number) =>
  `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), lines, msg: 'log lines were dropped' })}\n`;

const linesIn = (piece: Buffer) => piece.reduce((lines, byte) => (byte === 0x0a ? lines + 1 : lines), 0);
