import { measureCertificates, watchGrpcTls } from '@platform/service-kit/grpc/certificates.ts';
import { sentRpcs } from '@platform/service-kit/grpc/metrics.ts';
import { startLoop } from '@platform/service-kit/process/loop.ts';
import { startOpsServer } from '@platform/service-kit/process/ops-server.ts';
import type { RunningService } from '@platform/service-kit/process/run-service.ts';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { createApproval } from './approval.ts';
import type { Config } from './config.ts';
import { createGateways } from './gateways.ts';
import { createKeys, tinyLimit } from './keys.ts';
import { createMetrics } from './metrics.ts';
import { promisesPage } from './page.ts';
import { startReceiver } from './receiver.ts';
import { createRefreshCheck } from './refresh.ts';
import { createReports } from './reports.ts';
import { createResults } from './results.ts';
import { createRound } from './round.ts';

const service = 'canary';

/** Milliseconds between two looks for checks that have ended. */
const reportEveryMs = 1_000;

/** The receiver of the canary's endpoint, where there is one. */
async function receiverOf({ HTTP_HOST, HTTP_PORT, CANARY_WEBHOOK_SECRET: secret }: Config) {
  return secret && startReceiver({ host: HTTP_HOST, port: HTTP_PORT, secret });
}

/** The check of refreshes, where there is an application. */
function refreshCheckOf(config: Config) {
  const {
    CANARY_EMAIL: email,
    CANARY_PASSWORD: password,
    CANARY_CLIENT_ID: clientId,
    CANARY_CLIENT_SECRET: clientSecret,
  } = config;
  if (!email || !password || !clientId || !clientSecret) return undefined;
  const client = { clientId, clientSecret, redirectUri: config.CANARY_REDIRECT_URI };
  const approve = createApproval({ email, password }, client);
  return createRefreshCheck({ client, approve, reuseEveryMs: config.CANARY_REUSE_INTERVAL_MS });
}

/** Starts the canary. @throws when one of its ports is taken */
export async function startService(config: Config): Promise<RunningService> {
  const logger = createLogger({ service, level: config.LOG_LEVEL });
  const registry = createRegistry(service);
  const tls = watchGrpcTls(config, logger);
  measureCertificates(registry, tls);
  const gateways = createGateways(config.GATEWAY_ORIGINS, config.GATEWAY_CA);
  const { IDENTITY_GRPC_TARGET: target, CANARY_BUSINESS_ID: businessId } = config;
  const observe = sentRpcs(registry);
  const keys = createKeys(target, tls, businessId, observe);
  const reports = createReports({ target, tls, businessId, limit: tinyLimit, observe });
  const results = createResults(tinyLimit, Date.now);
  const receiver = await receiverOf(config);
  const refreshCheck = refreshCheckOf(config);
  const deliverWithinMs = config.CANARY_DELIVERY_MS;
  const metrics = createMetrics(registry);
  const round = createRound({
    gateways,
    keys,
    results,
    metrics,
    reports,
    logger,
    receiver,
    deliverWithinMs,
    refreshCheck,
  });
  const loop = startLoop({ name: 'canary', everyMs: config.CANARY_INTERVAL_MS, round, logger });
  const reporting = startLoop({ name: 'reports', everyMs: reportEveryMs, round: reports.send, logger });
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
    ports: { ops: ops.port, ...(receiver && { http: receiver.port }) },
    stop: async () => {
      await ops.drain();
      const stopped = loop.stop();
      await receiver?.close();
      await stopped;
      await reporting.stop();
      // What cannot be sent now is lost: the next start measures anew.
      await reports.send().catch((error: unknown) => logger.warn({ err: error }, 'checks not reported'));
      reports.close();
      keys.close();
      gateways.close();
      await ops.close();
    },
  };
}
