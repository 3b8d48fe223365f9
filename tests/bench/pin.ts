import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The process under measurement has a core to itself; everything else shares the others. */
export type Side = 'measured' | 'load';

// Read before anything is pinned: afterwards it counts only the cores of this process.
const coreCount = availableParallelism();
const canPin = coreCount > 1 && spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;

/** Of the process under measurement; undefined where it has none to itself. */
export const measuredCore = canPin ? '0' : undefined;

function cores(side: Side): string {
  return side === 'measured' ? '0' : `1-${coreCount - 1}`;
}

/** A command line that runs on its side's cores, where the system supports that. */
export function pinned(side: Side, command: readonly string[]): string[] {
  return canPin ? ['taskset', '-c', cores(side), ...command] : [...command];
}

/** Moves a running process with all its threads to its side's cores. */
export function pin(side: Side, pid: number): void {
  if (canPin) spawnSync('taskset', ['-a', '-p', '-c', cores(side), String(pid)], { stdio: 'ignore' });
}

/**
 * Gives a process, and those that it starts, only the time that nothing else wants: what has machines of its own in production
 * must not take it from the load, the upstream and Redis, whose core it shares here.
 */
export function yieldToOthers(pid: number): void {
  if (canPin) spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)], { stdio: 'ignore' });
}
