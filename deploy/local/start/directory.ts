import { accessSync, chmodSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './start-error.ts';

/** Where the parts of a local platform keep their things, all under LOCAL_DIR. */
export interface LocalDirectory {
  readonly root: string;
  readonly postgres: string;
  readonly redis: string;
  readonly logs: string;
  /** Where mails are written, since nobody sends them. */
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

/** Makes the directories, readable for their owner only. @throws StartError when there is no right to */
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
