// The gateway without authorization and rate limits, to measure their cost by difference.
import { readApi } from '@platform/service-kit/api/api.ts';
import { createLogStream } from '@platform/service-kit/telemetry/log-stream.ts';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { refuseAmbiguous } from '../src/edge/ambiguity.ts';
import { beginExchange } from '../src/edge/begin-exchange.ts';
import { createClientResolver } from '../src/edge/client-address.ts';
import { ClientShares } from '../src/edge/client-shares.ts';
import { receiveBody } from '../src/edge/request-body.ts';
import { createRequestMetrics } from '../src/edge/request-metrics.ts';
import { findRoute, requireRoute } from '../src/edge/routing.ts';
import { createEdgeServer } from '../src/edge/server.ts';
import { createStepsApp } from '../src/edge/steps.ts';
import { UnreadResponses } from '../src/edge/unread.ts';
import { UpstreamAgent } from '../src/forwarding/agent.ts';
import { FairQueue } from '../src/forwarding/fair-queue.ts';
import { UpstreamPool } from '../src/forwarding/pool.ts';
import { forwardRequest } from '../src/forwarding/proxy.ts';
import { reportRequest } from '../src/reporting/report-request.ts';
import { createRequestLog } from '../src/reporting/request-log.ts';
import { createRequestRecordBuffer } from '../src/reporting/request-records.ts';
import { createRetiredCallsBuffer } from '../src/reporting/retired-calls.ts';
import { createUsageBuffer } from '../src/reporting/usage.ts';
import { createRouteTable } from '../src/routes.ts';

const [port = '0', upstreamPort = '0'] = process.argv.slice(2);
const maxBodyBytes = 104_857_600;

const service = 'forward-only';
const stream = createLogStream();
const logger = createLogger({ service, level: 'info', stream });
const connections = {
  addresses: [{ host: '127.0.0.1', port: Number(upstreamPort) }],
  timeoutMs: 15_000,
  maxConnections: 512,
  maxWaitMs: 2_000,
  maxAgeMs: 60_000,
};
const registry = createRegistry(service);
const docsUrl = '/docs/errors';
const routes = createRouteTable(readApi());
const metrics = createRequestMetrics(registry, routes.names);
const queue = new FairQueue({ slots: 512, limitFor: () => 512, maxWaiting: 2_048, maxWaitMs: 1_000 });
const upstream = {
  agent: new UpstreamAgent(connections),
  pool: new UpstreamPool(connections),
  queue,
  webSocketQueue: queue,
  host: 'business-service',
  authHeadersFor: () => ({}),
  mayWait: false,
  forwardsCredentials: false,
};
const app = createStepsApp(
  beginExchange({ logger, metrics, docsUrl, resolveClient: createClientResolver([], () => undefined) }),
  reportRequest({
    logRequest: createRequestLog({ service, isEnabled: true, write: (line) => stream.write(line) }),
    usage: createUsageBuffer(1_000),
    records: createRequestRecordBuffer({ all: 0, perBusiness: 0, unauthenticated: 0 }),
    retiredCalls: createRetiredCallsBuffer(0),
    exposedCredentials: { record: () => undefined },
    metrics,
    routes,
  }),
  refuseAmbiguous({ maxBodyBytes, isOwnHost: () => false }),
  findRoute(routes),
  requireRoute(routes),
  receiveBody(maxBodyBytes),
  forwardRequest(new Map([['business', upstream]]), new AbortController().signal),
);
const maxConnections = 10_000;
const shares = new ClientShares({ perClient: maxConnections, isTrusted: () => false, registry, logger });
const unread = new UnreadResponses(registry, logger);
const options = { maxConnections, logger, metrics, docsUrl, shares, unread, routes };
createEdgeServer(app, options).listen(Number(port), '127.0.0.1');
