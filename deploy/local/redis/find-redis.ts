import { findProgram } from '../process/find-program.ts';

/** Path of redis-server: REDIS_SERVER, or the first on the PATH. Undefined when there is none. */
export function findRedisServer(environment: NodeJS.ProcessEnv): string | undefined {
  return findProgram(environment.REDIS_SERVER, ['redis-server'], environment);
}
