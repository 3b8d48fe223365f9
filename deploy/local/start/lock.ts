import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { processStart } from '../process/identity.ts';
import { StartError } from './start-error.ts';

/**
 * Makes this process the only one that uses the directory. The lock of a process that is gone counts for nothing.
 * Returns how to give it back. @throws StartError when another start runs
 */
export function takeLock(file: string): () => void {
  const mine = `${process.pid} ${processStart(process.pid)}\n`;
  const holder = writeNew(file, mine) ? undefined : readLock(file);
  if (holder?.alive) {
    throw new StartError(
      `The platform already runs in this directory (process ${holder.pid}): stop that one, or choose another LOCAL_DIR.`,
    );
  }
  if (holder !== undefined) {
    rmSync(file, { force: true });
    if (!writeNew(file, mine)) throw new StartError('Another start was quicker: stop that one first.');
  }
  return () => rmSync(file, { force: true });
}

function writeNew(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function readLock(file: string): { pid: number; alive: boolean } {
  const [pid = '', ...startedAt] = readFileSync(file, 'utf8').trim().split(' ');
  return { pid: Number(pid), alive: processStart(Number(pid)) === startedAt.join(' ') };
}
