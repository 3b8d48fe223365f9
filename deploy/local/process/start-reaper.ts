import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('./reaper.ts', import.meta.url));

/**
 * Makes sure that the processes recorded in `records` end with this process, however it ends.
 * `remove` is a directory to delete then.
 */
export function startReaper(records: string, remove?: string): void {
  const directories = remove === undefined ? [records] : [records, remove];
  const reaper = spawn(process.execPath, [script, ...directories], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  reaper.unref();
  // The pipe must not keep this process alive, nor break it when the reaper is gone first.
  reaper.stdin.on('error', () => undefined);
  if ('unref' in reaper.stdin && typeof reaper.stdin.unref === 'function') reaper.stdin.unref();
}
