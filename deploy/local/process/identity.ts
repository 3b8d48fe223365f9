import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process started, as its system tells it: together with the pid it names one process for ever, since pids are
 * used again. Undefined when no such process runs.
 */
export function processStart(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return linuxStart(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Field 22 of proc(5) stat; a zombie counts as gone. The command name may hold blanks, so count behind its bracket. */
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
