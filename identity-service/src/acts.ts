import { createLogger, type Logger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { defaultSupportEmail } from '@platform/service-kit/values/addresses.ts';
import type { BusinessLookup } from './clients/business.ts';
import type { WebhookCalls } from './clients/webhook.ts';
import type { ActsConfig } from './config.ts';
import { type Background, createBackground } from './platform/background.ts';
import {
  connectRedis,
  createPropagate,
  createPropagationMetrics,
  type Propagate,
} from './platform/credential-generations.ts';
import { apiEventsOf } from './platform/event-types.ts';
import { apiScopesOf } from './platform/scope.ts';
import { createSecretHasher } from './platform/secrets.ts';
import { openPrepared } from './platform/storage.ts';
import { openStores, type Stores } from './stores.ts';
import { createClickHouse } from './traffic/clickhouse/client.ts';
import { createClickHouseReader } from './traffic/clickhouse/log-store.ts';
import { createMailer, type Mailer } from './web/mail.ts';

/** Dependencies of operations, in the service and in separate processes such as `npm run admin`. */
export type Acts = ReturnType<typeof createActs>;

interface ActsParts {
  readonly config: ActsConfig;
  readonly stores: Stores;
  readonly propagate: Propagate;
  readonly businesses: Omit<BusinessLookup, 'close'>;
  /** Undefined in an installation without webhook-service. */
  readonly webhooks: WebhookCalls | undefined;
  readonly background: Background;
  readonly logger: Logger;
}

/** The parts under the names that operations give them. */
export function createActs({ config, stores, background, ...parts }: ActsParts) {
  const { businesses, logger } = parts;
  const mailer: Mailer = { sendMail: createMailer(config, logger), background, publicUrl: config.PUBLIC_URL };
  return {
    ...stores,
    ...parts,
    ...mailer,
    mailer,
    apiScopes: apiScopesOf(config.API_DIR),
    apiEvents: apiEventsOf(config.API_DIR),
    /** Address for questions. */
    supportEmail: config.SUPPORT_EMAIL ?? defaultSupportEmail(config.PUBLIC_URL),
    hasher: createSecretHasher(config.KEY_PEPPERS, config.CREDENTIAL_TAG_KEYS[0]),
    findBusiness: businesses.find,
    findBanned: businesses.findBanned,
    findAuthor: businesses.findAuthor,
    businessExists: businesses.exists,
    createBusiness: businesses.create,
    sandboxOrders: businesses.sandboxOrders,
    eraseCustomer: businesses.eraseCustomer,
    updateRecord: businesses.updateRecord,
    submitVerification: businesses.submitVerification,
    decideVerification: businesses.decideVerification,
    setBan: businesses.setBan,
  };
}

/** Connections of the process to the database. */
const maxConnections = 4;

/**
 * Milliseconds that an act may wait for the database, and that each of its transactions may take. Longer than in the
 * service, because a new process also prepares its first statements in this time.
 */
const waitLimitMs = 20_000;

/** Milliseconds for a call to another service while a person waits. */
const deadlineMs = 10_000;

/**
 * Opens the dependencies of acts. Each one connects when it is first used; unused ones are not even loaded. They are
 * closed with `resources`, after emails in progress were sent.
 * @param name of the process, for PostgreSQL and the log, which goes to standard error
 */
export function openActs(config: ActsConfig, name: string, resources: AsyncDisposableStack): Acts {
  const logger = createLogger({ service: name, level: 'error', stream: process.stderr });
  const registry = createRegistry(name);
  const as = { applicationName: name, maxConnections, waitLimitMs };
  const storage = openPrepared(config, as, { registry, logger, tracer: undefined }, resources);
  const opened = openStores(storage, apiScopesOf(config.API_DIR));
  const stores = { ...opened, requests: readRequests(config, opened.requests) };
  const background = createBackground(logger, registry);
  const propagate = whenFirst(async () => {
    const { REDIS_URL: address, PROPAGATION_TIMEOUT_MS: limitMs } = config;
    const redis = address === undefined ? undefined : await connectRedis(address, limitMs, logger);
    resources.defer(() => redis?.disconnect());
    const metrics = createPropagationMetrics(registry);
    return createPropagate({ redis, limitMs, store: stores.generations, metrics, logger });
  });
  resources.defer(background.settle);
  return createActs({
    config,
    stores,
    propagate: async (raised) => (raised.length === 0 ? 'confirmed' : (await propagate())(raised)),
    businesses: whenCalled(() => connectBusinesses(config, resources)),
    webhooks:
      config.WEBHOOK_GRPC_TARGET === undefined
        ? undefined
        : whenCalled(() => connectWebhooks(config, resources)),
    background,
    logger,
  });
}

/** The log of requests, read where it is kept. */
function readRequests({ REQUEST_LOG_URL: address }: ActsConfig, inPostgres: Stores['requests']) {
  if (address === undefined) return inPostgres;
  return { ...inPostgres, ...createClickHouseReader(createClickHouse(address)) };
}

async function connectBusinesses(config: ActsConfig, resources: AsyncDisposableStack) {
  const { createBusinessLookup } = await import('./clients/business-client.ts');
  const target = config.BUSINESS_GRPC_TARGET;
  const businesses = createBusinessLookup({ target, tls: await readTls(config), deadlineMs });
  resources.defer(businesses.close);
  return businesses;
}

async function connectWebhooks(config: ActsConfig, resources: AsyncDisposableStack) {
  const { createWebhookClient, notInstalled } = await import('./clients/webhook.ts');
  const tls = await readTls(config);
  const webhooks = createWebhookClient(config.WEBHOOK_GRPC_TARGET, { tls, deadlineMs });
  if (webhooks === undefined) throw notInstalled();
  resources.defer(webhooks.close);
  return webhooks;
}

async function readTls(config: ActsConfig) {
  const { readGrpcTls } = await import('@platform/service-kit/grpc/tls.ts');
  return readGrpcTls(config);
}

/** The one result of `open`, which is called once, when it is first needed. */
function whenFirst<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}

type Functions = Readonly<Record<string | symbol, (...args: unknown[]) => unknown>>;

/** Functions, each of which resolves to something, of a client that is opened when one of them is first called. */
function whenCalled<T extends object>(open: () => Promise<T>): T {
  const client = whenFirst(open);
  const call =
    (name: string | symbol) =>
    async (...args: unknown[]) =>
      ((await client()) as Functions)[name]?.(...args);
  return new Proxy(Object.create(null), { get: (_, name) => (name === 'then' ? undefined : call(name)) });
}
