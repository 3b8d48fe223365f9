import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Path of a program: the one that somebody has named, or the first of `names` on the PATH, in the order of the names.
 * Undefined when there is none; what is named and cannot be run is none.
 */
export function findProgram(
  named: string | undefined,
  names: readonly string[],
  environment: NodeJS.ProcessEnv,
): string | undefined {
  if (named) return isExecutable(named) ? named : undefined;
  const directories = (environment.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  return names.flatMap((name) => directories.map((directory) => join(directory, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
