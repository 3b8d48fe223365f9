import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import {
  Gauge,
  type MetricsFormat,
  metricsFormats,
  preferredFormat,
  type ServiceRegistry,
} from '../telemetry/metrics.ts';
import { TimeoutError, withTimeout } from './timeout.ts';

/** A dependency and its probe. */
export interface ReadinessCheck {
  readonly name: string;
  readonly probe: () => Promise<unknown>;
  /**
   * When readiness requires the dependency: always (the default), until its first success, or never. A service that works
   * without a dependency must stay ready without it.
   */
  readonly needed?: 'always' | 'at_start' | 'never';
}

export interface OpsServer {
  readonly port: number;
  /**
   * Turns /readyz to 503; /healthz stays 200. Resolves after the drain delay: until a balancer polls /readyz it sends
   * requests, and the listeners must be open for them.
   */
  drain(): Promise<void>;
  close(): Promise<void>;
}

interface OpsServerOptions {
  readonly host: string;
  readonly port: number;
  readonly registry: ServiceRegistry;
  readonly checks: readonly ReadinessCheck[];
  /** Milliseconds. */
  readonly drainDelayMs: number;
  /** Further documents, by path. */
  readonly documents?: Readonly<Record<string, () => OpsDocument>>;
}

/** A document of the ops port. */
interface OpsDocument {
  /** Media type. */
  readonly type: string;
  readonly text: string;
}

/** Milliseconds of a probe. */
const probeTimeoutMs = 1_000;

/** The same in /readyz for a dependency that does not affect readiness: balancers time out after a second. */
const reportTimeoutMs = 250;

function sendDocument(res: ServerResponse, { type, text }: OpsDocument): void {
  res.writeHead(200, {
    'Content-Type': type,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  res.end(text);
}

/** Serves /healthz (the process runs), /readyz (its dependencies respond) and /metrics. */
export async function startOpsServer(options: OpsServerOptions): Promise<OpsServer> {
  const { registry, checks } = options;
  let draining = false;
  const succeeded = new Set<ReadinessCheck>();

  let probed: readonly string[] | undefined;
  let probing: Promise<void> | undefined;
  const probe = () => {
    probing ??= Promise.all(checks.map((check) => runCheck(check, probeTimeoutMs))).then((states) => {
      probed = states;
      probing = undefined;
    });
    return probing;
  };

  new Gauge({
    name: 'dependency_up',
    help: '1 when a dependency responded to the latest probe, which the scrape before began; 0 when it did not.',
    labelNames: ['dependency'],
    registers: [registry],
    // Probes by itself, because Kubernetes polls /readyz only until its first success. A hanging probe must not delay a scrape.
    async collect() {
      const isFirst = probed === undefined;
      const probing = probe();
      if (isFirst) await probing;
      checks.forEach(({ name }, index) => {
        this.set({ dependency: name }, probed?.[index] === 'ok' ? 1 : 0);
      });
    },
  });

  const decides = (check: ReadinessCheck) => {
    const { needed = 'always' } = check;
    return needed === 'always' || (needed === 'at_start' && !succeeded.has(check));
  };
  const ready = async () => {
    const states = await Promise.all(
      checks.map((check) => runCheck(check, decides(check) ? probeTimeoutMs : reportTimeoutMs)),
    );
    checks.forEach((check, index) => {
      if (states[index] === 'ok') succeeded.add(check);
    });
    const isReady = !draining && checks.every((check, index) => states[index] === 'ok' || !decides(check));
    const report = Object.fromEntries(checks.map((check, index) => [check.name, states[index]]));
    return { ready: isReady, draining, checks: report };
  };
  const metrics = (format: MetricsFormat) => registry.metricsIn(format);
  const { port, close } = await serveOps(options, { ready, metrics });
  return {
    port,
    drain: async () => {
      draining = true;
      await setTimeout(options.drainDelayMs);
    },
    close,
  };
}

/** Reports on the ops port. */
interface OpsReports {
  /** Of /readyz: 200 when it is ready, else 503. */
  ready(): Promise<{ readonly ready: boolean }>;
  /** Of /metrics. */
  metrics(format: MetricsFormat): Promise<string>;
}

/** Listens on the ops port. @throws when the port is taken */
export async function serveOps(
  { host, port, documents = {} }: Pick<OpsServerOptions, 'host' | 'port' | 'documents'>,
  reports: OpsReports,
): Promise<Pick<OpsServer, 'port' | 'close'>> {
  const added = Object.entries(documents).map(
    ([path, read]) => [path, (res: ServerResponse) => sendDocument(res, read())] as const,
  );
  const routes: Record<string, (res: ServerResponse, req: IncomingMessage) => Promise<void> | void> = {
    ...Object.fromEntries(added),
    '/healthz': (res) => sendJson(res, 200, { alive: true }),
    '/readyz': async (res) => {
      const report = await reports.ready();
      sendJson(res, report.ready ? 200 : 503, report);
    },
    '/metrics': async (res, { headers }) => {
      const format = preferredFormat(headers.accept);
      const text = await reports.metrics(format);
      res.setHeader('Content-Type', metricsFormats[format]);
      res.end(text);
    },
  };
  const server = createServer(async (req, res) => {
    const route = routes[req.url ?? ''];
    if (route === undefined) return sendJson(res, 404, { error: 'not found' });
    try {
      await route(res, req);
    } catch {
      if (!res.headersSent) sendJson(res, 500, { error: 'unexpected error' });
    }
  });
  await new Promise<void>((resolve, reject) => {
    // Workers of one gateway each have a port of their own.
    server.once('error', reject).listen({ host, port, exclusive: true }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function runCheck({ probe }: ReadinessCheck, limitMs: number): Promise<string> {
  try {
    await withTimeout(probe(), limitMs);
    return 'ok';
  } catch (error) {
    return error instanceof TimeoutError ? 'timed out' : 'failed';
  }
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  res.end(JSON.stringify(body));
}
