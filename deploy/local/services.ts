import { hostPort } from '@platform/service-kit/values/addresses.ts';
import { freshLog, type LocalDirectory } from './directory.ts';
import { type OwnApi, startOwnService } from './own-api.ts';
import { freePort } from './process/free-port.ts';
import { type RunningService, type ServiceName, startService } from './process/service.ts';
import type { PlatformSecrets } from './secrets.ts';
import { isWildcard, type Settings } from './settings.ts';
import type { Supervisor } from './supervisor.ts';

type Environment = Record<string, string>;

/** LOCAL_DIR/run.json: addresses of what runs, for `npm run admin`, `npm run prisma` and for people. Removed at the end. */
export interface RunFile {
  readonly pid: number;
  /** For browsers, in pages and mails: PUBLIC_URL, or else `gatewayUrl`. */
  readonly baseUrl: string;
  /** Where the gateway listens, for programs on this machine. */
  readonly gatewayUrl: string;
  readonly identityGrpcTarget: string;
  readonly businessGrpcTarget: string;
  readonly webhookGrpcTarget: string;
  /** URLs of the databases, with their password: the file is its owner's alone. */
  readonly databases: Databases;
  /** Variables of identity-service, for acts in a process beside it. */
  readonly identityEnv: Environment;
  /** Addresses of /healthz, /readyz and /metrics. */
  readonly ops: Readonly<
    Record<'gateway' | 'identityService' | 'businessService' | 'webhookService', string>
  >;
}

/** URLs. */
type Databases = Readonly<Record<'identity' | 'business' | 'webhook', string>>;

export interface ServiceContext {
  readonly settings: Settings;
  readonly ownApi: OwnApi | undefined;
  readonly directory: LocalDirectory;
  readonly secrets: PlatformSecrets;
  readonly supervisor: Supervisor;
  readonly databases: Databases;
  readonly redisUrl: string | undefined;
}

/** Restarts a service with its current code, on the same ports. @throws with the end of its log when it does not start */
export type Restart = () => Promise<void>;

/** Milliseconds that a service gets to end by itself. */
const stopLimitMs = 10_000;
/** The same before a restart, which interrupts requests in progress. */
const restartLimitMs = 2_000;

/** Starts the services, each when the services that it calls are ready. */
export async function startServices(
  context: ServiceContext,
): Promise<{ readonly run: RunFile; readonly restarts: ReadonlyMap<ServiceName, Restart> }> {
  const { secrets, redisUrl, settings, databases, ownApi } = context;
  // Chosen first, because pages contain the address before the gateway listens on it.
  const port = settings.port || (await freePort());
  const host = isWildcard(settings.host) ? '127.0.0.1' : settings.host;
  const gatewayUrl = `http://${hostPort(host, port)}`;
  const baseUrl = settings.publicUrl ?? gatewayUrl;
  const restarts = new Map<ServiceName, Restart>();
  const redis: Environment = redisUrl === undefined ? {} : { REDIS_URL: redisUrl };
  const shared = { GATEWAY_SECRET: secrets.gatewaySecret, CREDENTIAL_TAG_KEYS: secrets.credentialTagKey };

  const business = await start('business-service', context, restarts, {
    DATABASE_URL: databases.business,
    PASSPORT_PUBLIC_KEYS: secrets.passportPublicKey,
  });
  const businessGrpcTarget = `ipv4:127.0.0.1:${business.ports.grpc}`;
  // Each of the two services calls the other one.
  const webhookPort = await freePort();
  const webhookGrpcTarget = `ipv4:127.0.0.1:${webhookPort}`;
  const identityEnv = {
    MODE: 'local',
    ...apiVariables(ownApi),
    ...redis,
    ...shared,
    DATABASE_URL: databases.identity,
    BUSINESS_GRPC_TARGET: businessGrpcTarget,
    WEBHOOK_GRPC_TARGET: webhookGrpcTarget,
    KEY_PEPPERS: secrets.keyPepper,
    PASSPORT_PRIVATE_KEY: secrets.passportPrivateKey,
    SESSION_SECRETS: secrets.sessionSecret,
    ENCRYPTION_KEYS: secrets.encryptionKey,
    PUBLIC_URL: baseUrl,
    MAIL_DIR: context.directory.mail,
    MAIL_FROM: 'Business API <no-reply@localhost>',
  };
  const identity = await start('identity-service', context, restarts, identityEnv);
  const identityGrpcTarget = `ipv4:127.0.0.1:${identity.ports.grpc}`;
  const webhook = await start('webhook-service', context, restarts, {
    GRPC_PORT: String(webhookPort),
    DATABASE_URL: databases.webhook,
    IDENTITY_GRPC_TARGET: identityGrpcTarget,
    BUSINESS_GRPC_TARGET: businessGrpcTarget,
    ENCRYPTION_KEYS: secrets.webhookEncryptionKey,
  });
  const keysUrl = `http://127.0.0.1:${identity.ports.http}/internal/passport-keys`;
  if (ownApi !== undefined) await startOwn(ownApi, context, keysUrl);
  const gateway = await start('gateway', context, restarts, {
    ...redis,
    ...shared,
    HTTP_HOST: settings.host,
    PORT: String(port),
    PUBLIC_URL: baseUrl,
    IDENTITY_GRPC_TARGET: identityGrpcTarget,
    IDENTITY_HTTP_ORIGINS: `http://127.0.0.1:${identity.ports.http}`,
    BUSINESS_HTTP_ORIGINS: `http://127.0.0.1:${business.ports.http}`,
  });
  const ops = ({ ports }: RunningService) => `http://127.0.0.1:${ports.ops}`;
  const addresses = {
    gateway: ops(gateway),
    identityService: ops(identity),
    businessService: ops(business),
    webhookService: ops(webhook),
  };
  const targets = { identityGrpcTarget, businessGrpcTarget, webhookGrpcTarget };
  const run = { pid: process.pid, baseUrl, gatewayUrl, ...targets, databases, identityEnv, ops: addresses };
  return { run, restarts };
}

const apiVariables = (own: OwnApi | undefined): Environment =>
  own === undefined ? {} : { API_DIR: own.documents };

/** Starts the developer's own service, before what forwards to it. */
async function startOwn(own: OwnApi, context: ServiceContext, keysUrl: string): Promise<void> {
  const { supervisor, directory, settings } = context;
  const part = await supervisor.step(own.folder, () =>
    startOwnService(own, keysUrl, directory, settings.watch),
  );
  supervisor.watch(part);
}

/** Starts a service on free ports of the loopback address. */
async function start(
  service: ServiceName,
  { directory, supervisor, settings, ownApi }: ServiceContext,
  restarts: Map<ServiceName, Restart>,
  env: Environment,
): Promise<RunningService> {
  const hosts = { HTTP_HOST: '127.0.0.1', GRPC_HOST: '127.0.0.1', OPS_HOST: '127.0.0.1' };
  // Not chosen by the system: a restart needs the same ones, and it gives freed ports to outgoing connections.
  const ports = {
    HTTP_PORT: `${await freePort()}`,
    GRPC_PORT: `${await freePort()}`,
    OPS_PORT: `${await freePort()}`,
  };
  const common = {
    MODE: 'local',
    LOG_LEVEL: settings.logLevel,
    DRAIN_DELAY_MS: '0',
    ...apiVariables(ownApi),
    ...hosts,
    ...ports,
  };
  const logFile = freshLog(directory.logFile(service));
  const options = { service, logFile, records: directory.records };
  const startOnce = () => startService({ ...options, env: { ...common, ...env } });
  let running = await supervisor.step(service, startOnce);
  const watch = () =>
    supervisor.watch({ process: running.process, stop: () => running.process.stop('SIGTERM', stopLimitMs) });
  let unwatch = watch();
  restarts.set(service, async () => {
    unwatch();
    await running.process.stop('SIGTERM', restartLimitMs);
    running = await startOnce();
    unwatch = watch();
  });
  return running;
}
