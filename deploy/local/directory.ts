import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { processStart } from './process/record.ts';
import { StartError } from './settings.ts';

/** Writes JSON that only its owner may read. The file is replaced atomically, so that readers never see a part. */
export function writePrivateFile(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** Puts the log of the last start aside, so that logs stay bounded. Returns the path for the new one. */
export function freshLog(file: string): string {
  if (existsSync(file)) renameSync(file, `${file}.1`);
  return file;
}

/** Files and directories of a local platform, all below LOCAL_DIR. */
export interface LocalDirectory {
  readonly root: string;
  readonly postgres: string;
  readonly redis: string;
  readonly logs: string;
  /** Mails, which are written and not sent. */
  readonly mail: string;
  /** Records of the children of this launcher; one directory per launcher. */
  readonly records: string;
  /** Parent of all records, also of launchers that were killed. */
  readonly allRecords: string;
  readonly lockFile: string;
  readonly secretsFile: string;
  readonly runFile: string;
  readonly demoFile: string;
  logFile(part: string): string;
}

/** Makes the directories, readable for their owner only. @throws StartError when they cannot be made or written */
export function prepareDirectory(root: string): LocalDirectory {
  const at = (name: string) => join(root, name);
  try {
    for (const path of [root, at('logs'), at('redis'), at('processes')]) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    }
    chmodSync(root, 0o700);
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? cause.code : cause;
    throw new StartError(
      `${root} cannot be used (${why}): give this user the right to write there, or choose another directory with LOCAL_DIR.`,
      { cause },
    );
  }
  return {
    root,
    postgres: at('postgres'),
    redis: at('redis'),
    logs: at('logs'),
    mail: at('mail'),
    records: join(at('processes'), String(process.pid)),
    allRecords: at('processes'),
    lockFile: at('lock'),
    secretsFile: at('secrets.json'),
    runFile: at('run.json'),
    demoFile: at('demo.json'),
    logFile: (part) => join(at('logs'), `${part}.log`),
  };
}

/**
 * Makes this process the only one that uses the directory. The lock of a process that has ended does not count.
 * Returns how to release it. @throws StartError when another start runs
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
