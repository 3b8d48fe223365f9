import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from './process/service.ts';
import type { Restart, RunFile } from './services.ts';
import type { Supervisor } from './supervisor.ts';

type Addresses = Pick<RunFile, 'baseUrl' | 'gatewayUrl'>;

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Milliseconds of quiet after a change: an editor, or git, writes several files. */
const quietMs = 100;
const watched = /\.(ts|lua|proto|css)$/;
const ignored = /\.test\.ts$|node_modules/;

/**
 * `npm run dev`: restarts the service whose source changed, all of them for service-kit and protos, and serves the
 * dashboard by Vite's development server. Returns its address.
 */
export async function watchSources(
  restarts: ReadonlyMap<ServiceName, Restart>,
  addresses: Addresses,
  supervisor: Supervisor,
): Promise<string> {
  const restart = queueRestarts(restarts, supervisor);
  const names = [...restarts.keys()];
  const folders = [
    ...names.map((name) => ({ folder: `${name}/src`, services: [name] })),
    ...['service-kit/src', 'protos'].map((folder) => ({ folder, services: names })),
  ];
  for (const { folder, services } of folders) {
    const watcher = watch(`${root}${folder}`, { recursive: true }, (_event, file) => {
      if (file !== null && watched.test(file) && !ignored.test(file)) restart(`${folder}/${file}`, services);
    });
    supervisor.onEnd(() => watcher.close());
  }
  return serveDashboard(addresses, supervisor);
}

/** Collects changes, then restarts their services one after the other. */
function queueRestarts(restarts: ReadonlyMap<ServiceName, Restart>, { say }: Supervisor) {
  const waiting = new Map<ServiceName, string>();
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const restartAll = async () => {
    const batch = [...waiting];
    waiting.clear();
    for (const [service, file] of batch) {
      const startedAt = performance.now();
      const error = await restarts
        .get(service)?.()
        .catch((reason: unknown) => reason);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      say(error instanceof Error ? `${error.message}\n` : `${service} restarted: ${file} (${seconds} s)`);
    }
  };
  return (file: string, services: readonly ServiceName[]) => {
    for (const service of services) waiting.set(service, file);
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(restartAll);
    }, quietMs);
  };
}

/** Vite serves the page without a Content-Security-Policy, which hot reload violates. The gateway serves everything else. */
async function serveDashboard({ baseUrl, gatewayUrl }: Addresses, supervisor: Supervisor): Promise<string> {
  // Loaded here, because `npm start` does not need it.
  const { createServer } = await import('vite');
  const server = await createServer({
    configFile: `${root}dashboard/vite.config.ts`,
    server: {
      host: '127.0.0.1',
      proxy: {
        // identity-service checks that requests have the public origin.
        '^/(?!dashboard(/|$))': { target: gatewayUrl, changeOrigin: true, headers: { Origin: baseUrl } },
      },
    },
  });
  await server.listen();
  supervisor.onEnd(() => server.close());
  return `${new URL(server.resolvedUrls?.local[0] ?? baseUrl).origin}/dashboard/`;
}
