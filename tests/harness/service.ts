import type { Exit } from '../../deploy/local/process/child.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { type RunningService, startService } from '../../deploy/local/process/service.ts';
import type { ServiceName } from '../../deploy/local/service-command.ts';
import { runDirectory } from './run-directory.ts';

/** A service under test: one process, started from its `src/main.ts`. */
export interface TestService {
  /** Ports by name: http, grpc, ops. They stay over a restart. */
  readonly ports: Readonly<Record<string, number>>;
  readonly pid: number;
  /** Output of this service, over its restarts. */
  readonly logFile: string;
  readonly exited: Promise<Exit>;
  isRunning(): boolean;
  /** SIGTERM; waits for the end. */
  stop(): Promise<Exit>;
  /** SIGKILL; waits for the end. */
  kill(): Promise<Exit>;
  /** SIGSTOP: its sockets stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Starts it again on the same ports, with other variables where given. */
  start(env?: Environment): Promise<void>;
}

export type Environment = Readonly<Record<string, string>>;

/** Variables that name the ports of each service. */
const portVariables: Readonly<Record<ServiceName, readonly string[]>> = {
  'business-service': ['HTTP_PORT', 'GRPC_PORT', 'OPS_PORT'],
  'identity-service': ['HTTP_PORT', 'GRPC_PORT', 'OPS_PORT'],
  gateway: ['PORT', 'OPS_PORT'],
};

const loopback = {
  MODE: 'local',
  HTTP_HOST: '127.0.0.1',
  GRPC_HOST: '127.0.0.1',
  OPS_HOST: '127.0.0.1',
  DRAIN_DELAY_MS: '0',
};

/** Starts a service with free ports and waits until it is ready. @throws with the end of its log when it is not */
export async function spawnService(
  service: ServiceName,
  env: Environment,
  name?: string,
): Promise<TestService> {
  const { newLogFile, records } = runDirectory();
  const options = { service, name: name ?? service, logFile: newLogFile(name ?? service), records };
  const portEnv: Record<string, string> = {};
  for (const variable of portVariables[service]) portEnv[variable] = `${await freePort()}`;
  const launch = (extra: Environment) =>
    startService({ ...options, env: { ...loopback, ...portEnv, ...env, ...extra } });
  let running: RunningService = await launch({});
  return {
    ports: running.ports,
    logFile: options.logFile,
    get pid() {
      return running.process.pid;
    },
    get exited() {
      return running.process.exited;
    },
    isRunning: () => running.process.isRunning(),
    stop: () => {
      const ended = running.process.stop('SIGTERM', 40_000);
      running.process.send('SIGCONT');
      return ended;
    },
    kill: () => running.process.stop('SIGKILL', 1_000),
    freeze: () => running.process.send('SIGSTOP'),
    thaw: () => running.process.send('SIGCONT'),
    start: async (extra = {}) => {
      if (!running.process.isRunning()) running = await launch(extra);
    },
  };
}
