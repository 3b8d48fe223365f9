import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Path of redis-server: REDIS_SERVER, or the first on the PATH. Undefined when there is none. */
export function findRedisServer(environment: NodeJS.ProcessEnv): string | undefined {
  const named = environment.REDIS_SERVER;
  if (named) return isExecutable(named) ? named : undefined;
  const directories = (environment.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  return directories.map((directory) => join(directory, 'redis-server')).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
