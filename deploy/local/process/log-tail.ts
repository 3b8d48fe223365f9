import { readFileSync } from 'node:fs';

/** The last lines of a log, to show with a failure. */
export function logTail(file: string, lines = 15): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '(no log was written)';
  }
}
