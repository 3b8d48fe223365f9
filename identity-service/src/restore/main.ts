// Finishes a restore: docs/operations/restore.md. Runs with the environment of identity-service, while none is running.
// --without-log: Redis was lost as well.

import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '@platform/service-kit/config/config.ts';
import { readGrpcTls } from '@platform/service-kit/grpc/tls.ts';
import { createSealer } from '@platform/service-kit/secrets/sealer.ts';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { createBusinessLookup } from '../clients/business-client.ts';
import { createWebhookClient } from '../clients/webhook.ts';
import { type Config, configSchema } from '../config.ts';
import { createPasswordHasher, newUnusableHash } from '../people/password.ts';
import {
  connectRedis,
  createPropagationMetrics,
  propagatePending,
  startPropagator,
} from '../platform/credential-generations.ts';
import { apiScopesOf } from '../platform/scope.ts';
import { createSecretHasher } from '../platform/secrets.ts';
import { openStorage } from '../platform/storage.ts';
import { openStores } from '../stores.ts';
import { type FinishDeps, type Finished, type FinishOptions, finishRestore } from './finish.ts';
import { knownGenerations } from './known-generations.ts';
import { createRevocationLog } from './log.ts';
import { createRestoreStore } from './store.ts';

async function finish(config: Config, options: FinishOptions): Promise<Finished | undefined> {
  const logger = createLogger({ service: 'restore', level: config.LOG_LEVEL });
  const registry = createRegistry('restore');
  const tls = readGrpcTls(config);
  if (config.REDIS_URL === undefined)
    throw new Error('REDIS_URL is not set: the log of revocations is in Redis.');
  await using resources = new AsyncDisposableStack();
  const storage = await openStorage(config, { registry, logger, tracer: undefined }, resources);
  const apiScopes = apiScopesOf(config.API_DIR);
  const stores = openStores(storage, apiScopes);
  const limitMs = config.PROPAGATION_TIMEOUT_MS;
  const redis = await connectRedis(config.REDIS_URL, limitMs, logger);
  resources.defer(() => redis.disconnect());
  const { generations } = stores;
  const metrics = createPropagationMetrics(registry);
  const propagate = startPropagator({ redis, limitMs, store: generations, metrics, logger }, resources);
  const calls = { tls, deadlineMs: config.SERVICE_TIMEOUT_MS };
  const businesses = createBusinessLookup({ ...calls, target: config.BUSINESS_GRPC_TARGET });
  resources.defer(businesses.close);
  const webhooks = createWebhookClient(config.WEBHOOK_GRPC_TARGET, calls);
  resources.defer(() => webhooks?.close());
  const deps: FinishDeps = {
    ...stores,
    apiScopes,
    log: createRevocationLog(redis),
    store: createRestoreStore(storage.database, storage.prisma),
    hasher: createSecretHasher(config.KEY_PEPPERS, config.CREDENTIAL_TAG_KEYS[0]),
    propagate,
    findBusiness: businesses.find,
    banBusiness: (businessId, requestId) => businesses.setBan(businessId, true, requestId),
    updateRecord: businesses.updateRecord,
    ...(webhooks && { client: webhooks }),
    unusableHash: await newUnusableHash(createPasswordHasher()),
    sealer: createSealer(config.ENCRYPTION_KEYS),
    knownGenerations: () => knownGenerations(redis),
    publishPending: () => propagatePending(generations, propagate),
  };
  // Not without await: the resources would be closed under it.
  return await finishRestore(deps, options);
}

async function main(): Promise<number> {
  try {
    const { values } = parseArgs({ options: { 'without-log': { type: 'boolean' } } });
    const options = { withoutLog: values['without-log'] ?? false };
    const finished = await finish(readConfig(configSchema, process.env), options);
    if (finished === undefined) {
      process.stdout.write('This restore is finished already: start identity-service and the gateways.\n');
      return 0;
    }
    const { lacking, replayed, unopened, withoutLog, refreshTokens, pending } = finished;
    process.stdout.write(
      `The backup lacked ${lacking} revocations; ${replayed} concerned something in it and are made again.\n` +
        (unopened.length > 0
          ? `The email addresses of ${unopened.length} people cannot be opened with ENCRYPTION_KEYS; their passwords have ended: ${unopened.join(', ')}.\n`
          : '') +
        (options.withoutLog
          ? `Without a log: ${withoutLog} businesses are frozen, Grants and passwords have ended, endpoints are disabled.\n`
          : '') +
        `${refreshTokens} refresh tokens that were rotated since are used up; ${pending} sessions, links and codes have ended.\n` +
        'All credential generations are published: start identity-service and the gateways.\n',
    );
    return 0;
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof ConfigError ? 78 : 1;
  }
}

// Clients of gRPC and Prisma keep a process for seconds after they are closed.
process.exit(await main());
