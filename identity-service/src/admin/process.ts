import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@platform/service-kit/config/config.ts';
import { z } from 'zod';
import type { Acts } from '../acts.ts';
import type { Terminal } from './output.ts';

const runFileSchema = z.object({
  identityGrpcTarget: z.string(),
  identityEnv: z.record(z.string(), z.string()),
});

/**
 * The variables of identity-service: those of its container if DATABASE_URL is set, otherwise those of the local platform
 * as defaults. @throws Error when there are none
 */
export function serviceEnvironment(env: Terminal['env']): Terminal['env'] {
  if ((env.DATABASE_URL ?? '') !== '' || (env.DATABASE_URL_FILE ?? '') !== '') return env;
  const { identityGrpcTarget, identityEnv } = readRunFile(join(env.LOCAL_DIR || '.local', 'run.json'));
  return { IDENTITY_GRPC_TARGET: identityGrpcTarget, ...identityEnv, ...env };
}

function readRunFile(path: string): z.output<typeof runFileSchema> {
  try {
    return runFileSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new Error(
      `No platform found: ${path} does not exist (npm start creates it), and DATABASE_URL is not set, as it is in the container of identity-service.`,
    );
  }
}

/** Runs `work` with what acts need, and closes that afterwards. @throws ConfigError, or an error of `work` */
export async function withActs<T>({ env }: Terminal, work: (acts: Acts) => Promise<T>): Promise<T> {
  const [{ openActs }, { actsSchema }] = await Promise.all([import('../acts.ts'), import('../config.ts')]);
  await using resources = new AsyncDisposableStack();
  const acts = openActs(readConfig(actsSchema, serviceEnvironment(env)), 'admin', resources);
  // Not without await: the resources would be closed under it.
  return await work(acts);
}
