import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processStart } from './identity.ts';

/*
 * One file per running child, named by its pid. Whoever finds the directory later (the reaper, the next start) can end
 * what is left, and never hits a stranger that was given the same pid.
 */

interface Recorded {
  readonly pid: number;
  readonly name: string;
  readonly startedAt: string;
  /** The signal that ends it when nobody is left to wait for it. */
  readonly signal: NodeJS.Signals;
}

/** Notes a child. Returns how to strike it out again. */
export function recordProcess(
  directory: string,
  pid: number,
  name: string,
  signal: NodeJS.Signals,
): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, String(pid));
  const recorded: Recorded = { pid, name, startedAt: processStart(pid) ?? '', signal };
  writeFileSync(file, JSON.stringify(recorded), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** Ends every recorded process that still runs, and forgets the others. Returns the names of those it ended. */
export async function endRecordedProcesses(directory: string): Promise<string[]> {
  const running = readRecords(directory).filter(isRunning);
  for (const { pid, signal } of running) {
    sendSignal(pid, signal);
    // A stopped process takes no other signal before it goes on.
    sendSignal(pid, 'SIGCONT');
  }
  const giveUpAt = performance.now() + 3_000;
  while (running.some(isRunning) && performance.now() < giveUpAt) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  for (const recorded of running.filter(isRunning)) sendSignal(recorded.pid, 'SIGKILL');
  rmSync(directory, { recursive: true, force: true });
  return running.map(({ name }) => name);
}

function readRecords(directory: string): Recorded[] {
  try {
    return readdirSync(directory).map((file) => JSON.parse(readFileSync(join(directory, file), 'utf8')));
  } catch {
    return [];
  }
}

function isRunning({ pid, startedAt }: Recorded): boolean {
  return processStart(pid) === startedAt;
}

/** Sends a signal to a process, or to the group of a negative pid; false when no such process is left. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  // 0, 1 and -1 stand for our own group, init and everybody.
  if (!Number.isInteger(pid) || Math.abs(pid) <= 1) return false;
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
