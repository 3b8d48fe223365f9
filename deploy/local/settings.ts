import { resolve } from 'node:path';
import { port, readConfig } from '@platform/service-kit/config/config.ts';
import { host, publicOrigin } from '@platform/service-kit/values/addresses.ts';
import { z } from 'zod';

/** Why the platform cannot start here, in one sentence that says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

const schema = z.object({
  LOCAL_DIR: z.string().default('.local'),
  HTTP_HOST: host.default('127.0.0.1'),
  PORT: port.default(8080),
  PUBLIC_URL: publicOrigin.optional(),
  CALLBACK_PORT: port.default(8090),
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a redis:// address' }).optional(),
  LOG_LEVEL: z.string().default('info'),
});

/** Whether it stands for every address of the machine. */
export const isWildcard = (address: string) => ['0.0.0.0', '::'].includes(address);

/** Settings of the local platform. */
export interface Settings {
  /** Where data, logs and secrets go; absolute. */
  readonly directory: string;
  /** The same as the user wrote it. */
  readonly directoryName: string;
  readonly host: string;
  /** Port of the API; 0 for a free one. */
  readonly port: number;
  /** Origin at which browsers reach the platform, where HTTP_HOST and PORT do not say. */
  readonly publicUrl: string | undefined;
  /** Port of the demo application; a free one where this is taken. */
  readonly callbackPort: number;
  /** A Redis to use instead of a child of our own. */
  readonly redisUrl: string | undefined;
  readonly logLevel: string;
  /** Restart a service when its source changes. */
  readonly watch: boolean;
  /** Folder of a developer's own service. */
  readonly with: string | undefined;
}

/** Arguments of the command line. */
interface Arguments {
  readonly watch?: boolean | undefined;
  readonly with?: string | undefined;
}

/** @throws ConfigError that names every invalid variable */
export function readSettings(environment: NodeJS.ProcessEnv, given: Arguments): Settings {
  const read = readConfig(schema, environment);
  return {
    directory: resolve(read.LOCAL_DIR),
    directoryName: read.LOCAL_DIR,
    host: read.HTTP_HOST,
    port: read.PORT,
    publicUrl: read.PUBLIC_URL,
    callbackPort: read.CALLBACK_PORT,
    redisUrl: read.REDIS_URL,
    logLevel: read.LOG_LEVEL,
    watch: given.watch ?? false,
    with: given.with,
  };
}
