import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Start time of a process, in a system-specific form. Together with it, a pid, which may be reused, identifies one process.
 * Undefined when no such process runs.
 */
export function processStart(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return linuxStart(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Field 22 of proc(5) stat, counted after the command name, which may contain blanks. A zombie counts as ended. */
function linuxStart(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : fields[19];
}

/** Command line of a running process; empty when there is none. */
export function processCommand(pid: number): string {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/*
 * One file per running child, named by its pid. The reaper or the next start ends children that are left over, but never a
 * different process that has got the same pid.
 */
interface Recorded {
  readonly pid: number;
  readonly name: string;
  readonly startedAt: string;
  /** The signal that ends it without its parent. */
  readonly signal: NodeJS.Signals;
}

/** Records a child. Returns how to remove the record. */
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

/** Ends every recorded process that still runs, and removes all records. Returns the names of the ended processes. */
export async function endRecordedProcesses(directory: string): Promise<string[]> {
  const running = readRecords(directory).filter(isRunning);
  for (const { pid, signal } of running) {
    sendSignal(pid, signal);
    // A stopped process handles other signals only after it continues.
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
  // 0, 1 and -1 mean our own group, init and every process.
  if (!Number.isInteger(pid) || Math.abs(pid) <= 1) return false;
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

const script = fileURLToPath(new URL('./reaper.ts', import.meta.url));

/**
 * Ends the processes recorded in `records` when this process ends, also by SIGKILL.
 * `remove` is a directory to delete then.
 */
export function startReaper(records: string, remove?: string): void {
  const directories = remove === undefined ? [records] : [records, remove];
  const reaper = spawn(process.execPath, [script, ...directories], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  reaper.unref();
  // The pipe must neither keep this process alive nor end it if the reaper ends first.
  reaper.stdin.on('error', () => undefined);
  if ('unref' in reaper.stdin && typeof reaper.stdin.unref === 'function') reaper.stdin.unref();
}
