import { fileURLToPath } from 'node:url';
import { type Child, startChild, untilReady } from './child.ts';

/** Our services, in the order in which they start. */
const serviceNames = ['business-service', 'identity-service', 'webhook-service', 'gateway'] as const;

export type ServiceName = (typeof serviceNames)[number];

/** A service, or the canary, which no installation needs. */
export type ProgramName = ServiceName | 'canary';

const ownRoot = fileURLToPath(new URL('../../../', import.meta.url));

/** Disables optimization of Prisma's query compiler, which runs once per kind of query, to save a quarter of a start's CPU. */
const startsQuickly = '--liftoff-only';

/**
 * Smaller nurseries save 100 MB in processes through which every request or body passes, for the same CPU time
 * (docs/decisions/speed.md). Containers set the same in NODE_OPTIONS.
 */
const nodeFlags: Readonly<Record<ProgramName, readonly string[]>> = {
  'business-service': [startsQuickly],
  'identity-service': [startsQuickly],
  'webhook-service': [startsQuickly, '--max-semi-space-size=8'],
  gateway: ['--max-semi-space-size=16'],
  canary: [],
};

/** Command that runs a service; Node runs TypeScript directly. `root` is the directory of a release, with a final slash. */
export function serviceCommand(service: ProgramName, root = ownRoot): { command: string; args: string[] } {
  const args = [
    ...nodeFlags[service],
    '--disable-warning=ExperimentalWarning',
    `${root}${service}/src/main.ts`,
  ];
  return { command: process.execPath, args };
}

/** A service that is ready, and the ports it listens on, by name (http, grpc, ops). */
export interface RunningService {
  readonly process: Child;
  readonly ports: Readonly<Record<string, number>>;
}

interface ServiceOptions {
  readonly service: ProgramName;
  /** Directory of another release, with a final slash; this one where absent. */
  readonly root?: string | undefined;
  /** Name for logs and messages; the service's own where absent. */
  readonly name?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly records: string;
}

/** Generous, for a busy machine on which several services start at once. */
const readyLimitMs = 90_000;

/** Starts one of our services and waits until it is ready. @throws with the end of its log when it is not */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { service, root, logFile, records } = options;
  const child = await startChild({
    ...serviceCommand(service, root),
    name: options.name ?? service,
    env: { PATH: process.env.PATH ?? '', ...inspectorFor(service), ...options.env },
    logFile,
    records,
    ipc: true,
  });
  let ports: Record<string, number> | undefined;
  child.onMessage((message) => {
    ports ??= readyPorts(message);
  });
  try {
    await untilReady(child, async () => ports ?? Promise.reject(new Error('not ready')), readyLimitMs);
  } catch (error) {
    await child.stop('SIGKILL', 1_000);
    throw error;
  }
  return { process: child, ports: ports ?? {} };
}

/** `INSPECT=identity-service npm start`: that service listens for a debugger at Node's usual port. */
function inspectorFor(service: ProgramName): Record<string, string> {
  return process.env.INSPECT === service ? { NODE_OPTIONS: '--inspect' } : {};
}

/** Ports of the message `{ ready: true, ports }`; undefined for every other message. */
function readyPorts(message: unknown): Record<string, number> | undefined {
  if (typeof message !== 'object' || message === null || !('ready' in message)) return undefined;
  if (!('ports' in message) || typeof message.ports !== 'object' || message.ports === null) return undefined;
  const named = Object.entries(message.ports).filter(([, port]) => typeof port === 'number');
  return Object.fromEntries(named);
}
