// A gateway with a route that has WebSockets, as a process of its own: the steps of `app.ts` in their order, on another table.
// identity-service is a list of credentials that the parent sends. It takes orders by messages, and ends with its parent.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { drainHttpServer } from '@platform/service-kit/http/server.ts';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import type { RequestHandler } from 'express';
import { authorizeRequest, createUnknownCredentialLimit } from '../src/access/authorize-request.ts';
import { createAuthorizer, createSequence } from '../src/access/authorizer.ts';
import { createBatcher, createPeek } from '../src/access/batcher.ts';
import { createAccessCheck, createRecheck } from '../src/access/check-access.ts';
import { createRedisEpochs } from '../src/access/redis-epochs.ts';
import { refuseAmbiguous } from '../src/edge/ambiguity.ts';
import { beginExchange } from '../src/edge/begin-exchange.ts';
import { createClientResolver, createTrust } from '../src/edge/client-address.ts';
import { ClientShares } from '../src/edge/client-shares.ts';
import { handleCors } from '../src/edge/cors.ts';
import { LoadShedder, shedLoad } from '../src/edge/overload.ts';
import { refusePlainHttp } from '../src/edge/plain-http.ts';
import { receiveBody } from '../src/edge/request-body.ts';
import { createRequestMetrics } from '../src/edge/request-metrics.ts';
import { requireRoute } from '../src/edge/routing.ts';
import { createEdgeServer, edgeOptions } from '../src/edge/server.ts';
import { createStepsApp } from '../src/edge/steps.ts';
import { createTlsServer } from '../src/edge/tls.ts';
import { UnreadResponses } from '../src/edge/unread.ts';
import { isHandshake } from '../src/edge/upgrade.ts';
import { UpstreamAgent } from '../src/forwarding/agent.ts';
import { FairQueue, slotLimit } from '../src/forwarding/fair-queue.ts';
import { UpstreamPool } from '../src/forwarding/pool.ts';
import { forwardRequest } from '../src/forwarding/proxy.ts';
import { forwardWebSocket } from '../src/forwarding/websocket.ts';
import { WebSocketSlots } from '../src/forwarding/websocket-slots.ts';
import { createStandaloneLimiter } from '../src/rate-limit/limiters.ts';
import { rehearse } from '../src/rehearsal.ts';
import { reportRequest } from '../src/reporting/report-request.ts';
import { createRequestLog } from '../src/reporting/request-log.ts';
import { createRequestRecordBuffer, toRecord } from '../src/reporting/request-records.ts';
import { createRetiredCallsBuffer } from '../src/reporting/retired-calls.ts';
import { createUsageBuffer } from '../src/reporting/usage.ts';
import { compile, matchRoute } from '../src/routes.ts';
import { allowedWith } from './sample-authorization.ts';
import type { GatewayOptions, GatewayOrder, GatewayReport, TestCredential } from './websocket-process.ts';

const { upstreamPort, idleMs, tls }: GatewayOptions = JSON.parse(process.argv[2] ?? '');

const path = '/v2/socket';
const socketRoute = compile({
  path,
  upstream: 'business',
  methods: { GET: 'orders:read', POST: 'orders:write' },
  websocket: true,
});
const match: typeof matchRoute = (method, asked) =>
  asked === path ? (socketRoute.byMethod.get(method) ?? socketRoute.otherMethods) : matchRoute(method, asked);
const findRoute: RequestHandler = ({ exchange, method }, _res, next) => {
  exchange.route = match(method, exchange.path);
  next();
};

let credentials: Readonly<Record<string, TestCredential>> = {};
const sequence = createSequence();
const monotonicNow = () => performance.now();
const authorizer = createAuthorizer({
  fetchAuthorization: async ({ bearer }, requestedAt) => {
    const known = credentials[bearer] ?? { outcome: 'invalid' };
    const { outcome = 'allowed', limit = 10_000, ...principal } = known;
    if (outcome === 'invalid' || outcome === 'expired') return { outcome };
    const sample = allowedWith({ limit, requestedAt, passport: 'the passport' });
    const verified = { ...sample, principal: { ...sample.principal, ...principal } };
    return outcome === 'allowed' ? verified : { ...verified, outcome };
  },
  hasValidTag: () => true,
  sequence,
  monotonicNow,
  budgetMs: 1_000,
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

const service = 'gateway';
const lines: string[] = [];
const logger = createLogger({ service, level: 'silent' });
const registry = createRegistry(service);
const metrics = createRequestMetrics(registry);
const records = createRequestRecordBuffer({ all: 1_000, perBusiness: 1_000, unauthenticated: 1_000 });
const connections = {
  addresses: [{ host: '127.0.0.1', port: upstreamPort }],
  timeoutMs: 1_500,
  maxConnections: 512,
  maxWaitMs: 2_000,
  maxAgeMs: 60_000,
};
const upstream = {
  agent: new UpstreamAgent(connections),
  pool: new UpstreamPool(connections),
  queue: new FairQueue({ slots: 512, limitFor: slotLimit, maxWaiting: 2_048, maxWaitMs: 2_000 }),
  host: 'business-service',
  authHeadersFor: ({ passport }: { readonly passport: string }) => ({ 'x-passport': passport }),
  mayWait: false,
  forwardsCredentials: false,
};
const upstreams = { business: upstream, feed: upstream, identity: upstream };
const stopping = new AbortController();
const maxBodyBytes = 1_000_000;
const isTrusted = createTrust(['127.0.0.1']);
const docsUrl = '/docs/errors';
const nothing = { record: () => undefined };
const app = createStepsApp(
  beginExchange({
    logger,
    metrics,
    docsUrl,
    resolveClient: createClientResolver(['127.0.0.1'], () => undefined),
  }),
  reportRequest({
    logRequest: createRequestLog({ service, isEnabled: true, write: (line) => lines.push(line) }),
    usage: createUsageBuffer(1_000),
    records,
    retiredCalls: createRetiredCallsBuffer(0),
    exposedCredentials: nothing,
    metrics,
  }),
  shedLoad(new LoadShedder()),
  refuseAmbiguous({ maxBodyBytes, isOwnHost: (authority) => authority === 'api.test' }),
  findRoute,
  handleCors({ has: (origin) => origin === 'https://tool.test' }),
  refusePlainHttp({ publicUrl: undefined, exposedSecrets: nothing }),
  authorizeRequest({
    checkAccess: accessCheck(createBatcher(limiter)),
    peekAccess: accessCheck(createPeek(limiter)),
    recheck: createRecheck({ authorizer, sequence, now: Date.now, monotonicNow }),
    unknownCredentialLimit: createUnknownCredentialLimit({ perMinute: 1_000, maxNetworks: 10, monotonicNow }),
  }),
  requireRoute,
  rehearse,
  receiveBody(maxBodyBytes),
  forwardWebSocket({ upstreams, webSocketSlots: new WebSocketSlots(registry), stopping: stopping.signal }),
  forwardRequest(upstreams, stopping.signal),
);
const shares = new ClientShares({ perClient: 5_000, isTrusted, registry, logger });
const server = createEdgeServer(app, {
  maxConnections: 5_000,
  logger,
  metrics,
  docsUrl,
  shares,
  unread: new UnreadResponses(registry, logger),
  server:
    tls === undefined
      ? createServer(edgeOptions)
      : createTlsServer({ cert: Buffer.from(tls.cert), key: Buffer.from(tls.key) }, () => undefined, logger)
          .server,
});
if (idleMs !== undefined) server.setTimeout(idleMs);
Object.assign(server, {
  shouldUpgradeCallback: (req: Parameters<typeof isHandshake>[0]) => isHandshake(req, match),
});

const send = (message: object) => void process.send?.(message);

const orders: Readonly<Record<GatewayOrder['order'], (order: GatewayOrder) => Promise<void> | void>> = {
  credentials: (order) => {
    if (order.order === 'credentials') ({ credentials } = order);
  },
  report: async () => {
    const report: GatewayReport = {
      metrics: await registry.metrics(),
      lines: lines.map((line) => JSON.parse(line)),
      records: records.take(1_000).map(toRecord),
    };
    send(report);
  },
  stop: async () => {
    const drained = drainHttpServer(server);
    stopping.abort();
    await drained;
    upstream.agent.destroy();
    upstream.pool.destroy();
    send({ stopped: true });
  },
};
process.on('message', (order: GatewayOrder) => void orders[order.order](order));
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => send({ port: (server.address() as AddressInfo).port }));
