import { sentRpcs } from '@platform/service-kit/grpc/metrics.ts';
import { measureCertificates, readGrpcTls } from '@platform/service-kit/grpc/tls.ts';
import { createLogger, type Logger } from '@platform/service-kit/logger.ts';
import { startLoop } from '@platform/service-kit/loop.ts';
import { Counter, createRegistry, Gauge, Histogram, type Registry } from '@platform/service-kit/metrics.ts';
import { startOpsServer } from '@platform/service-kit/ops-server.ts';
import type { RunningService } from '@platform/service-kit/run-service.ts';
import type { Config } from './config.ts';
import { createGateways, type Gateways } from './gateways.ts';
import { type CanaryKey, createKeys, type Keys, tinyLimit } from './keys.ts';
import { promisesPage } from './page.ts';
import { createResults, promises } from './results.ts';
import { measureRevocation } from './revocation.ts';
import { createHourCheck } from './rolling-hour.ts';

const service = 'canary';

interface RoundDeps {
  readonly gateways: Gateways;
  readonly keys: Keys;
  readonly results: ReturnType<typeof createResults>;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly logger: Logger;
}

/** Measures every promise once per round. The keys are taken again after a failure: their strings may have ended. */
function createRound({ gateways, keys, results, metrics, logger }: RoundDeps): () => Promise<void> {
  const hour = createHourCheck(tinyLimit);
  let limited: CanaryKey | undefined;
  let revoked: CanaryKey | undefined;
  return async () => {
    try {
      limited ??= await keys.takeLimited();
      revoked ??= await keys.takeRevoked();
      const replicas = await gateways.replicas();
      const excess = await hour.measure(replicas, limited.keyString);
      const { key, measured, violations } = await measureRevocation(keys, replicas, revoked);
      revoked = key;
      const broken = [...excess, ...violations];
      for (const violation of broken) logger.error(violation, 'promise broken');
      metrics.measured(
        measured.map(({ ms }) => ms / 1000),
        broken.map(({ promise }) => promise),
      );
      results.addRound(measured, broken, hour.used());
    } catch (error) {
      revoked = undefined;
      metrics.failed();
      results.addFailure(error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
}

function createMetrics(registry: Registry) {
  const registers = [registry];
  const rounds = new Counter({
    name: 'canary_rounds_total',
    help: 'Rounds, by whether the promises could be measured.',
    labelNames: ['result'],
    registers,
  });
  const violations = new Counter({
    name: 'canary_violations_total',
    help: 'Requests that broke a promise.',
    labelNames: ['promise'],
    registers,
  });
  const lastRound = new Gauge({
    name: 'canary_last_round_timestamp_seconds',
    help: 'Unix time of the last round that could be measured, or of the start.',
    registers,
  });
  const delays = new Histogram({
    name: 'canary_revocation_seconds',
    help: 'Time from the response to the end of a key to the first refusal of a gateway.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  // An increase from nothing is none for Prometheus.
  for (const promise of promises) violations.inc({ promise }, 0);
  for (const result of ['measured', 'failed']) rounds.inc({ result }, 0);
  lastRound.setToCurrentTime();
  return {
    measured: (seconds: readonly number[], broken: readonly string[]): void => {
      rounds.inc({ result: 'measured' });
      lastRound.setToCurrentTime();
      for (const each of seconds) delays.observe(each);
      for (const promise of broken) violations.inc({ promise });
    },
    failed: (): void => rounds.inc({ result: 'failed' }),
  };
}

/** Starts the canary. @throws when its port is taken */
export async function startService(config: Config): Promise<RunningService> {
  const logger = createLogger({ service, level: config.LOG_LEVEL });
  const registry = createRegistry(service);
  const tls = readGrpcTls(config);
  measureCertificates(registry, tls);
  const gateways = createGateways(config.GATEWAY_ORIGINS, config.GATEWAY_CA);
  const keys = createKeys(config.IDENTITY_GRPC_TARGET, tls, config.CANARY_BUSINESS_ID, sentRpcs(registry));
  const results = createResults(tinyLimit, Date.now);
  const round = createRound({ gateways, keys, results, metrics: createMetrics(registry), logger });
  const loop = startLoop({ name: 'canary', everyMs: config.CANARY_INTERVAL_MS, round, logger });
  const ops = await startOpsServer({
    host: config.OPS_HOST,
    port: config.OPS_PORT,
    registry,
    checks: [],
    drainDelayMs: 0,
    documents: {
      '/promises': () => ({ type: 'text/html; charset=utf-8', text: promisesPage(results.report()) }),
      '/promises.json': () => ({ type: 'application/json', text: JSON.stringify(results.report()) }),
    },
  });
  return {
    logger,
    ports: { ops: ops.port },
    stop: async () => {
      await ops.drain();
      await loop.stop();
      keys.close();
      gateways.close();
      await ops.close();
    },
  };
}
