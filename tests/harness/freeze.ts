import { readdirSync, readFileSync } from 'node:fs';
import { processStart, sendSignal } from '../../deploy/local/process/record.ts';
import { expectEventually } from './expect-eventually.ts';

/** Stops a process and its children (SIGSTOP) without closing their sockets. */
export function freezeTree(pid: number): void {
  // Freezes the process itself first, so that it starts no child in the meantime.
  sendSignal(pid, 'SIGSTOP');
  for (const each of tree(pid)) sendSignal(each, 'SIGSTOP');
}

/** Resumes a frozen process and its children. */
export function thawTree(pid: number): void {
  for (const each of tree(pid).reverse()) sendSignal(each, 'SIGCONT');
}

/**
 * Runs `end`, which ends a process, and waits until its direct children have ended, too. Before that PostgreSQL does not
 * start again: its memory is still in use.
 */
export async function endWithChildren(pid: number, end: () => Promise<unknown>): Promise<void> {
  const family = tree(pid).map((member) => ({ member, startedAt: processStart(member) }));
  await end();
  await expectEventually(
    () => {
      const left = family.filter(({ member, startedAt }) => isSame(member, startedAt));
      if (left.length > 0) throw new Error(`${left.map(({ member }) => member)} still run`);
    },
    { withinMs: 5_000, everyMs: 10 },
  );
}

/** Pids are used again. */
const isSame = (pid: number, startedAt: string | undefined) =>
  startedAt !== undefined && processStart(pid) === startedAt;

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
