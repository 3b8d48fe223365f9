import { hostPort } from '@platform/service-kit/addresses.ts';
import { freePort } from '../process/free-port.ts';
import { type RunningService, startService } from '../process/service.ts';
import type { PlatformSecrets } from '../secrets/generate-secrets.ts';
import type { ServiceName } from '../service-command.ts';
import type { Progress } from '../show/progress.ts';
import type { LocalDirectory } from './directory.ts';
import { freshLog } from './fresh-log.ts';
import type { RunFile } from './run-file.ts';
import { businessServiceEnv, gatewayEnv, identityServiceEnv } from './service-env.ts';
import type { Settings } from './settings.ts';
import type { Shutdown } from './shutdown.ts';

export interface ServiceContext {
  readonly settings: Settings;
  readonly directory: LocalDirectory;
  readonly secrets: PlatformSecrets;
  readonly progress: Progress;
  readonly shutdown: Shutdown;
  readonly identityDatabaseUrl: string;
  readonly businessDatabaseUrl: string;
  readonly redisUrl: string | undefined;
}

/** Milliseconds that a service gets to end by itself. */
const stopLimitMs = 10_000;

/** Starts the three services, each when what it calls is ready. Returns where they are. */
export async function startServices(context: ServiceContext): Promise<RunFile> {
  const { secrets, redisUrl, directory } = context;
  // Browsers must be told the address before the gateway listens on it.
  const settings = { ...context.settings, port: context.settings.port || (await freePort()) };
  const publicUrl = `http://${hostPort(reachable(settings.host), settings.port)}`;
  const business = await start(
    'business-service',
    context,
    businessServiceEnv(settings, secrets, context.businessDatabaseUrl),
  );
  const businessGrpcTarget = `ipv4:127.0.0.1:${business.ports.grpc}`;
  const identity = await start(
    'identity-service',
    context,
    identityServiceEnv(settings, secrets, {
      databaseUrl: context.identityDatabaseUrl,
      redisUrl,
      businessGrpcTarget,
      publicUrl,
      mailDirectory: directory.mail,
    }),
  );
  const identityGrpcTarget = `ipv4:127.0.0.1:${identity.ports.grpc}`;
  const gateway = await start(
    'gateway',
    context,
    gatewayEnv(settings, secrets, {
      redisUrl,
      identityGrpcTarget,
      identityOrigin: `http://127.0.0.1:${identity.ports.http}`,
      businessOrigin: `http://127.0.0.1:${business.ports.http}`,
      publicUrl,
    }),
  );
  return {
    pid: process.pid,
    baseUrl: publicUrl,
    identityGrpcTarget,
    businessGrpcTarget,
    ops: { gateway: ops(gateway), identityService: ops(identity), businessService: ops(business) },
  };
}

async function start(
  service: ServiceName,
  { directory, progress, shutdown }: ServiceContext,
  env: Record<string, string>,
): Promise<RunningService> {
  const logFile = freshLog(directory.logFile(service));
  const options = { service, env, logFile, records: directory.records };
  const running = await progress.step(service, () => startService(options));
  shutdown.watch({
    process: running.process,
    stop: () => running.process.stop('SIGTERM', stopLimitMs),
  });
  return running;
}

const ops = ({ ports }: RunningService) => `http://127.0.0.1:${ports.ops}`;

/** An address that requests can go to: the wildcard is none. */
const reachable = (host: string) => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host);
