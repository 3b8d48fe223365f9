import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from './errors.ts';

/** Reads a line of a terminal without showing it. @throws UsageError at the end of input, the reason of the signal */
export async function readHidden(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<string> {
  // In the raw mode of readline, the terminal shows what readline writes: nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  const stop = new AbortController();
  // Ctrl-C is a character in this mode, not a signal.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  lines.on('close', () => stop.abort(new UsageError('Nothing was typed.')));
  try {
    const [line] = await once(lines, 'line', { signal: AbortSignal.any([signal, stop.signal]) });
    return String(line);
  } catch {
    signal.throwIfAborted();
    throw stop.signal.reason;
  } finally {
    lines.close();
  }
}
