import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The process under measurement has a core to itself; everything else shares the others. */
export type Side = 'measured' | 'load';

// Read before anything is pinned: afterwards it counts only the cores of this process.
const coreCount = availableParallelism();
const canPin = coreCount > 1 && spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;

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
