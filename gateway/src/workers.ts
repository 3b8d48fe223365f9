import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { serveOps } from '@platform/service-kit/process/ops-server.ts';
import type { RunningService } from '@platform/service-kit/process/run-service.ts';
import { createLogger, type Logger } from '@platform/service-kit/telemetry/logger.ts';
import { metricsFormats } from '@platform/service-kit/telemetry/metrics.ts';
import { z } from 'zod';
import type { GatewayConfig } from './config.ts';
import { mergeMetrics } from './worker-metrics.ts';

/*
 * One gateway on several processors: worker processes share the public port, and one ops port reports for all of them. To
 * Redis, identity-service and business-service each worker is a separate gateway.
 */

/** Variable with the number of a worker: 1, 2, … A replacement keeps the number of the worker that it replaces. */
export const placeVariable = 'GATEWAY_WORKER';

/** Milliseconds until an ended worker is replaced. The delay doubles, up to `longest`, while replacements end `soon`. */
const delay = { first: 100, longest: 30_000, soon: 10_000 };

/** Milliseconds within which a worker must respond on its ops port. */
const responseLimitMs = 2_000;

const readyMessage = z.object({
  ready: z.literal(true),
  ports: z.object({ http: z.number(), ops: z.number() }),
});

/** A worker that serves requests. */
interface RunningWorker {
  readonly process: Worker;
  readonly ports: z.output<typeof readyMessage>['ports'];
  readonly ended: Promise<unknown>;
}

/** Memory of a worker under load, with room for bodies (docs/decisions/speed.md). */
const workerBytes = 256 * 1024 ** 2;

interface Machine {
  readonly processors: number;
  /** Bytes that the container may use; 0 where there is no limit. */
  readonly memory: number;
}

const thisMachine = (): Machine => ({
  processors: availableParallelism(),
  memory: process.constrainedMemory(),
});

/** Number of processes that serve requests. `auto`: one per processor, or fewer if the container's memory is too small. */
export function workerCount(
  { WORKERS }: Pick<GatewayConfig, 'WORKERS'>,
  { processors, memory } = thisMachine(),
): number {
  if (WORKERS !== 'auto') return WORKERS;
  const fitting = memory > 0 ? Math.floor(memory / workerBytes) : processors;
  return Math.max(1, Math.min(processors, fitting));
}

/** Starts the workers of a gateway, and replaces one that ends. @throws when one cannot start at first */
export async function startWorkers(config: GatewayConfig): Promise<RunningService> {
  const logger = createLogger({ service: 'gateway', level: config.LOG_LEVEL });
  const places = Array.from({ length: workerCount(config) }, (_, index) => index + 1);
  const stopping = new AbortController();
  const running = new Map<number, RunningWorker>();
  const begin = async (place: number) => {
    const worker = await launch(place, config, places.length);
    running.set(place, worker);
    worker.process.once('exit', () => running.delete(place));
    return worker;
  };
  // Workers read certificates; without a listener the signal would end this process.
  process.on('SIGHUP', () => signalAll(running, 'SIGHUP'));
  const first = await Promise.all(places.map(begin));
  const kept = first.map((worker, index) =>
    keep(worker, () => begin(index + 1), stopping.signal, logger.child({ worker: index + 1 })),
  );
  const ops = await serveOps(
    { host: config.OPS_HOST, port: config.OPS_PORT },
    {
      ready: async () => {
        const workers = await askAll(running, async (worker) => (await ask(worker, '/readyz')).json());
        const isReady = workers.some(
          (report) => z.object({ ready: z.literal(true) }).safeParse(report).success,
        );
        return { ready: isReady && !stopping.signal.aborted, draining: stopping.signal.aborted, workers };
      },
      metrics: async (format) => {
        const headers = { Accept: metricsFormats[format] };
        const texts = await askAll(running, async (worker) =>
          (await ask(worker, '/metrics', headers)).text(),
        );
        return mergeMetrics(texts, format);
      },
    },
  );
  const ports = { http: first[0]?.ports.http ?? config.PORT, ops: ops.port };
  logger.info({ ports, workers: places.length }, 'gateway listens');
  const stop = async () => {
    stopping.abort();
    // Workers serve until balancers have seen /readyz.
    await setTimeout(config.DRAIN_DELAY_MS);
    signalAll(running, 'SIGTERM');
    await Promise.all(kept);
    await ops.close();
  };
  return { logger, ports, stop };
}

/** Variables that differ between a worker and its parent process. Clears `_FILE` variants: a variable may not have both. */
export function workerVariables(
  place: number,
  limits: Pick<GatewayConfig, 'MAX_CONNECTIONS' | 'MAX_CONNECTIONS_PER_CLIENT'>,
  count: number,
): Record<string, string> {
  const values = {
    [placeVariable]: String(place),
    // Only the parent process connects to it, on a port that the system chooses.
    OPS_HOST: '127.0.0.1',
    OPS_PORT: '0',
    DRAIN_DELAY_MS: '0',
    MAX_CONNECTIONS: String(Math.ceil(limits.MAX_CONNECTIONS / count)),
    // New connections go to the workers in turn.
    MAX_CONNECTIONS_PER_CLIENT: String(Math.ceil(limits.MAX_CONNECTIONS_PER_CLIENT / count)),
  };
  const noFiles = Object.keys(values).map((name) => [`${name}_FILE`, '']);
  return { ...values, ...Object.fromEntries(noFiles) };
}

/** Starts the worker of a place. @throws when it ends before it is ready */
async function launch(place: number, config: GatewayConfig, count: number): Promise<RunningWorker> {
  const worker = cluster.fork(workerVariables(place, config, count));
  const ended = once(worker, 'exit');
  const end = ended.then(([code, signal]) => {
    throw new Error(`worker ${place} ended with ${signal ?? code} before it was ready`);
  });
  const [message] = await Promise.race([once(worker, 'message'), end]);
  end.catch(() => undefined);
  return { process: worker, ports: readyMessage.parse(message).ports, ended };
}

/** Replaces a worker whenever it ends, until the signal aborts; resolves when the last one has ended. */
async function keep(
  first: RunningWorker,
  begin: () => Promise<RunningWorker>,
  signal: AbortSignal,
  logger: Logger,
): Promise<void> {
  let worker: RunningWorker | undefined = first;
  let delayMs = delay.first;
  while (true) {
    const startedAt = performance.now();
    await worker?.ended;
    if (signal.aborted) return;
    if (performance.now() - startedAt > delay.soon) delayMs = delay.first;
    logger.error({ delayMs }, 'a worker ended and will be replaced');
    await setTimeout(delayMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    delayMs = Math.min(2 * delayMs, delay.longest);
    worker = await begin().catch((error: unknown) => {
      logger.error({ err: error }, 'a worker could not start');
      return undefined;
    });
    // The signal may have arrived while the worker was starting.
    if (signal.aborted) worker?.process.process.kill('SIGTERM');
  }
}

function signalAll(running: ReadonlyMap<number, RunningWorker>, signal: 'SIGHUP' | 'SIGTERM'): void {
  for (const { process: worker } of running.values()) worker.process.kill(signal);
}

/** Responses of the workers, without those that do not respond. */
async function askAll<T>(
  running: ReadonlyMap<number, RunningWorker>,
  askOne: (worker: RunningWorker) => Promise<T>,
): Promise<T[]> {
  const settled = await Promise.allSettled([...running.values()].map(askOne));
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

const ask = ({ ports }: RunningWorker, path: string, headers = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${ports.ops}${path}`, { headers, signal: AbortSignal.timeout(responseLimitMs) });
