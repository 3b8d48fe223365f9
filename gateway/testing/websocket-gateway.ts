// A gateway as a process of its own: all of it but its start (`service.ts`), and identity-service is a list of credentials that the
// parent sends. It takes orders by messages, and ends with its parent.
import type { AddressInfo } from 'node:net';
import { usageService } from '@platform/protos/identity';
import { readConfig } from '@platform/service-kit/config/config.ts';
import { drainHttpServer } from '@platform/service-kit/http/server.ts';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { createUnknownCredentialLimit } from '../src/access/authorize-request.ts';
import { createAuthorizer, createSequence } from '../src/access/authorizer.ts';
import { createBatcher, createPeek } from '../src/access/batcher.ts';
import { createAccessCheck, createRecheck } from '../src/access/check-access.ts';
import { createRedisEpochs } from '../src/access/redis-epochs.ts';
import { createApp } from '../src/app.ts';
import { gatewayConfig } from '../src/config.ts';
import { createClientResolver } from '../src/edge/client-address.ts';
import { openServer } from '../src/edge/open-server.ts';
import { LoadShedder } from '../src/edge/overload.ts';
import { createRequestMetrics } from '../src/edge/request-metrics.ts';
import { createOwnHostCheck } from '../src/edge/request-target.ts';
import { openUpstreams } from '../src/forwarding/open-upstreams.ts';
import { createStandaloneLimiter } from '../src/rate-limit/limiters.ts';
import { createRequestLog } from '../src/reporting/request-log.ts';
import { createRequestRecordBuffer } from '../src/reporting/request-records.ts';
import { createRetiredCallsBuffer } from '../src/reporting/retired-calls.ts';
import { createUsageBuffer } from '../src/reporting/usage.ts';
import { createRouteTable } from '../src/routes.ts';
import { allowedWith } from './sample-authorization.ts';
import type { GatewayOrder, GatewayReport, ProcessOptions, TestCredential } from './websocket-process.ts';

const { env, idleMs }: ProcessOptions = JSON.parse(process.argv[2] ?? '');
const config = readConfig(gatewayConfig, env);

const service = 'gateway';
const lines: string[] = [];
const logger = createLogger({ service, level: 'silent' });
const registry = createRegistry(service);
const monotonicNow = () => performance.now();

/** Access as `service.ts` opens it, without Redis. */
let credentials: Readonly<Record<string, TestCredential>> = {};
const sequence = createSequence();
const authorizer = createAuthorizer({
  fetchAuthorization: async ({ bearer }, requestedAt) => {
    const known = credentials[bearer] ?? { outcome: 'invalid' };
    const { outcome = 'allowed', limit = 10_000, ...principal } = known;
    if (outcome === 'invalid' || outcome === 'expired') return { outcome };
    const upstreamPassports = new Map([['shop', 'the passport']]);
    const sample = allowedWith({ limit, requestedAt, upstreamPassports });
    const verified = { ...sample, principal: { ...sample.principal, ...principal } };
    return outcome === 'allowed' ? verified : { ...verified, outcome };
  },
  hasValidTag: () => true,
  sequence,
  monotonicNow,
  budgetMs: config.AUTHORIZE_TIMEOUT_MS,
  cacheSize: 0,
});
const limiter = createStandaloneLimiter(Date.now, 10_000);
const accessCheck = (localLimiter: ReturnType<typeof createBatcher>) =>
  createAccessCheck({
    authorizer,
    sequence,
    epochs: createRedisEpochs(sequence, 10),
    redisLimiter: undefined,
    localLimiter,
    untilRedis: async () => false,
  });

const peekAccess = accessCheck(createPeek(limiter));

const routes = createRouteTable(config.API_DIR);
const metrics = createRequestMetrics(registry, routes.names);
const records = createRequestRecordBuffer({ all: 500, perBusiness: 500, unauthenticated: 500 });
const upstreams = openUpstreams(config, { kind: 'plain' }, registry, logger);
const stopping = new AbortController();
const nothing = { record: () => undefined };
const app = createApp({
  stopping: stopping.signal,
  checkAccess: accessCheck(createBatcher(limiter)),
  peekAccess,
  recheck: createRecheck({ peekAccess, now: Date.now, monotonicNow }),
  unknownCredentialLimit: createUnknownCredentialLimit({ perMinute: 1_000, maxNetworks: 10, monotonicNow }),
  logger,
  logRequest: createRequestLog({ service, isEnabled: true, write: (line) => lines.push(line) }),
  metrics,
  routes,
  requestChecks: config.API_DIR.requestChecks,
  usage: createUsageBuffer(5_000),
  records,
  retiredCalls: createRetiredCallsBuffer(0),
  exposedCredentials: nothing,
  exposedSecrets: nothing,
  shedder: new LoadShedder(),
  origins: { has: (origin) => origin === 'https://tool.test' },
  resolveClient: createClientResolver(config.TRUSTED_PROXIES, () => undefined),
  isOwnHost: createOwnHostCheck(config.PUBLIC_URL),
  docsUrl: config.DOCS_URL,
  publicUrl: config.PUBLIC_URL,
  maxBodyBytes: config.MAX_BODY_BYTES,
  upstreams,
  docs: { files: new Map(), markdown: new Map(), notFound: undefined },
});
const { server } = openServer(app, { metrics, routes }, config, registry, logger);
if (idleMs !== undefined) server.setTimeout(idleMs);

const send = (message: object) => void process.send?.(message);

async function report(): Promise<GatewayReport> {
  return {
    metrics: await registry.metrics(),
    lines: lines.map((line) => JSON.parse(line)),
    records: usageService.RecordRequests.requestDeserialize(records.take()).records,
  };
}

async function obey(order: GatewayOrder): Promise<void> {
  if (order.order === 'credentials') ({ credentials } = order);
  else if (order.order === 'report') send(await report());
  else {
    const drained = drainHttpServer(server);
    stopping.abort();
    await drained;
    send({ stopped: true });
  }
}

process.on('message', obey).on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => send({ port: (server.address() as AddressInfo).port }));
