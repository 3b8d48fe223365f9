import { readdirSync, readFileSync } from 'node:fs';
import { sendSignal } from '../../deploy/local/process/record.ts';

/** Stops a process and its children (SIGSTOP) without closing their sockets. */
export function freezeTree(pid: number): void {
  for (const each of tree(pid)) sendSignal(each, 'SIGSTOP');
}

/** Lets them go on. */
export function thawTree(pid: number): void {
  for (const each of tree(pid).reverse()) sendSignal(each, 'SIGCONT');
}

/** The process and its direct children (proc(5); the parent is field 4 of stat). */
function tree(pid: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return [pid, ...pids.filter((candidate) => parentOf(candidate) === pid)];
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
