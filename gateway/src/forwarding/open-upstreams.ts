import type { GrpcTls } from '@platform/service-kit/grpc/tls.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, Gauge, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { GatewayConfig } from '../config.ts';
import type { Exchange } from '../edge/exchange.ts';
import type { Upstream } from '../routes.ts';
import { UpstreamAgent } from './agent.ts';
import { upstreamAddress } from './connect.ts';
import { FairQueue, slotLimit, waitSlotLimit } from './fair-queue.ts';
import { UpstreamPool } from './pool.ts';
import type { Upstreams } from './proxy.ts';

/** Milliseconds for which a connection to an upstream is used. */
const upstreamConnectionAgeMs = 60_000;

/** Requests in flight per upstream, each on its own connection. */
const upstreamSlots = 512;

/** Milliseconds that a request waits for a slot, or for a connection. */
const maxWaitMs = 2_000;

/** Opens connections, slots and metrics of every upstream. */
export function openUpstreams(
  config: GatewayConfig,
  tls: GrpcTls,
  registry: Registry,
  logger: Logger,
): Upstreams {
  const failures = new Counter({
    name: 'gateway_upstream_connection_failures_total',
    help: 'Connections to an upstream that could not be opened; another address may have taken the request.',
    labelNames: ['upstream'],
    registers: [registry],
  });
  const connectionsTo = (upstream: Upstream, origins: readonly string[]) => {
    const options = {
      addresses: origins.map((origin) =>
        upstreamAddress(origin, tls, logger, () => failures.inc({ upstream })),
      ),
      timeoutMs: config.UPSTREAM_TIMEOUT_MS,
      maxConnections: upstreamSlots,
      maxWaitMs,
      maxAgeMs: upstreamConnectionAgeMs,
    };
    return { agent: new UpstreamAgent(options), pool: new UpstreamPool(options) };
  };
  const newQueue = (limitFor = slotLimit) =>
    new FairQueue({ slots: upstreamSlots, limitFor, maxWaiting: 2_048, maxWaitMs });
  const withPassport = ({ passport }: Exchange) => ({ 'x-passport': passport });
  const withSecret = () => ({ 'x-gateway-secret': config.GATEWAY_SECRET[0] });
  const upstreams = {
    business: {
      ...connectionsTo('business', config.BUSINESS_HTTP_ORIGINS),
      queue: newQueue(),
      host: 'business-service',
      authHeadersFor: withPassport,
      mayWait: false,
      forwardsCredentials: false,
    },
    feed: {
      ...connectionsTo('feed', config.BUSINESS_HTTP_ORIGINS),
      queue: newQueue(waitSlotLimit),
      host: 'business-service',
      authHeadersFor: withPassport,
      mayWait: true,
      forwardsCredentials: false,
    },
    identity: {
      ...connectionsTo('identity', config.IDENTITY_HTTP_ORIGINS),
      queue: newQueue(),
      host: 'identity-service',
      authHeadersFor: withSecret,
      mayWait: false,
      forwardsCredentials: true,
    },
  };
  registerUpstreamMetrics(registry, upstreams);
  return upstreams;
}

/** Gauges and counters of the slots at each upstream. */
function registerUpstreamMetrics(registry: Registry, upstreams: Upstreams): void {
  const registers = [registry];
  const entries = Object.entries(upstreams);
  const registerGauge = (name: string, help: string, read: (upstream: Upstreams['business']) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['upstream'],
      registers,
      collect() {
        for (const [name, upstream] of entries) this.set({ upstream: name }, read(upstream));
      },
    });
  registerGauge(
    'gateway_upstream_requests',
    'Requests in flight at an upstream, each in its own slot',
    ({ queue }) => queue.inUse,
  );
  registerGauge(
    'gateway_upstream_waiting',
    'Requests waiting for a slot at an upstream',
    ({ queue }) => queue.waiting,
  );
  registerGauge(
    'gateway_upstream_connections',
    'Open connections to an upstream',
    ({ agent, pool }) => agent.connections + pool.connections,
  );
  new Counter({
    name: 'gateway_upstream_waits_total',
    help: 'Requests that had to wait for a slot at an upstream, by outcome',
    labelNames: ['upstream', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const [upstream, { queue }] of entries)
        for (const [outcome, count] of Object.entries(queue.waitOutcomes))
          this.inc({ upstream, outcome }, count);
    },
  });
}
