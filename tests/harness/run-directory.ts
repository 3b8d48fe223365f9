import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';

/** Directories and files of a run. */
export interface RunDirectory {
  readonly root: string;
  /** Output of every process of the run, a file each; kept until the run ends. */
  readonly logs: string;
  /** Records of running processes. */
  readonly records: string;
  /** A new empty directory for the data of a process. */
  newDirectory(name: string): string;
  /** A new log file's path. */
  newLogFile(name: string): string;
}

let count = 0;

/** Directories of the run that this process belongs to. @throws outside a run, see run.ts */
export function runDirectory(): RunDirectory {
  const root = process.env.HARNESS_RUN_DIRECTORY;
  if (root === undefined)
    throw new Error('No run has begun: use a jest project over processes, or beginRun().');
  const data = join(root, 'data');
  const logs = join(root, 'logs');
  mkdirSync(logs, { recursive: true });
  return {
    root,
    logs,
    records: join(root, 'processes'),
    newDirectory: (name) => mkdtempSync(join(data, `${name}-`)),
    newLogFile: (name) => join(logs, `${name}-${process.pid}-${Date.now()}-${count++}.log`),
  };
}
