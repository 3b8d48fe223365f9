import type { OwnUpstream } from '@platform/service-kit/api/api.ts';
import type { GrpcTls } from '@platform/service-kit/grpc/tls.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, Gauge, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { GatewayConfig } from '../config.ts';
import type { Exchange } from '../edge/exchange.ts';
import { UpstreamAgent } from './agent.ts';
import { type UpstreamOwner, upstreamAddress } from './connect.ts';
import { FairQueue, slotLimit, waitSlotLimit } from './fair-queue.ts';
import { UpstreamPool } from './pool.ts';
import type { UpstreamOptions, Upstreams } from './proxy.ts';

/** Milliseconds for which a connection to an upstream is used. */
const upstreamConnectionAgeMs = 60_000;

/** Requests in flight per upstream, each on its own connection. */
const upstreamSlots = 512;

/** Open WebSockets per upstream, each on its own connection. */
const webSocketSlots = 1_024;

/** Milliseconds that a request waits for a slot, or for a connection. */
const maxWaitMs = 2_000;

/** Opens connections, slots and metrics of every upstream. */
export function openUpstreams(
  config: GatewayConfig,
  tls: GrpcTls,
  registry: Registry,
  logger: Logger,
): Upstreams {
  const connect = createConnections(tls, registry, logger);
  const timeoutMs = config.UPSTREAM_TIMEOUT_MS;
  const business = {
    owner: 'platform',
    origins: config.BUSINESS_HTTP_ORIGINS,
    host: 'business-service',
    timeoutMs,
    authHeadersFor: withPassport,
  } as const;
  const identity = { ...business, origins: config.IDENTITY_HTTP_ORIGINS, host: 'identity-service' };
  const secret = { 'x-gateway-secret': config.GATEWAY_SECRET[0] };
  const upstreams = new Map([
    ['business', connect('business', business)],
    // Requests to business-service that may wait for an event: with slots of their own they take none from the others.
    ['feed', connect('feed', { ...business, mayWait: true })],
    [
      'identity',
      connect('identity', { ...identity, authHeadersFor: () => secret, forwardsCredentials: true }),
    ],
    ...config.API_DIR.upstreams.map((own) => [own.name, connect(own.name, ownPlan(own, timeoutMs))] as const),
  ]);
  registerUpstreamMetrics(registry, upstreams);
  return upstreams;
}

const withPassport = ({ passport }: Exchange) => ({ 'x-passport': passport });

/** The differences between upstreams. */
interface UpstreamPlan extends Pick<UpstreamOptions, 'host' | 'authHeadersFor'> {
  readonly owner: UpstreamOwner;
  readonly origins: readonly string[];
  readonly timeoutMs: number;
  readonly mayWait?: boolean;
  readonly forwardsCredentials?: boolean;
}

/** Replicas of one service have one name: its requests carry that of the first origin. */
const ownPlan = ({ origins, timeoutMs }: OwnUpstream, usualMs: number): UpstreamPlan => ({
  owner: 'operator',
  origins,
  host: new URL(origins[0] ?? '').host,
  timeoutMs: timeoutMs ?? usualMs,
  authHeadersFor: withPassport,
});

function createConnections(tls: GrpcTls, registry: Registry, logger: Logger) {
  const failures = new Counter({
    name: 'gateway_upstream_connection_failures_total',
    help: 'Connections to an upstream that could not be opened; another address may have taken the request.',
    labelNames: ['upstream'],
    registers: [registry],
  });
  return (upstream: string, plan: UpstreamPlan): UpstreamOptions => {
    const { owner, origins, timeoutMs, mayWait = false, forwardsCredentials = false, ...rest } = plan;
    const countFailure = () => failures.inc({ upstream });
    const options = {
      addresses: origins.map((origin) => upstreamAddress(origin, { owner, tls, logger, countFailure })),
      timeoutMs,
      maxConnections: upstreamSlots,
      maxWaitMs,
      maxAgeMs: upstreamConnectionAgeMs,
    };
    const limitFor = mayWait ? waitSlotLimit : slotLimit;
    return {
      ...rest,
      mayWait,
      forwardsCredentials,
      agent: new UpstreamAgent(options),
      pool: new UpstreamPool(options),
      queue: new FairQueue({ slots: upstreamSlots, limitFor, maxWaiting: 2_048, maxWaitMs }),
      webSocketQueue: new FairQueue({
        slots: webSocketSlots,
        limitFor: waitSlotLimit,
        maxWaiting: 256,
        maxWaitMs,
      }),
    };
  };
}

/** Gauges and counters of the slots at each upstream. */
function registerUpstreamMetrics(registry: Registry, upstreams: Upstreams): void {
  const registers = [registry];
  const registerGauge = (name: string, help: string, read: (upstream: UpstreamOptions) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['upstream'],
      registers,
      collect() {
        for (const [upstream, options] of upstreams) this.set({ upstream }, read(options));
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
  registerGauge(
    'gateway_websockets',
    'Open WebSockets to an upstream, each in its own slot',
    ({ webSocketQueue }) => webSocketQueue.inUse,
  );
  new Counter({
    name: 'gateway_upstream_waits_total',
    help: 'Requests that had to wait for a slot at an upstream, by outcome',
    labelNames: ['upstream', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const [upstream, { queue }] of upstreams)
        for (const [outcome, count] of Object.entries(queue.waitOutcomes))
          this.inc({ upstream, outcome }, count);
    },
  });
}
