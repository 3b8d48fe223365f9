import type { Exit } from '../../deploy/local/process/child.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { type ProgramName, startService } from '../../deploy/local/process/service.ts';
import { attachProcess, type ProcessId, processId, type TestProcess } from './attached-process.ts';
import { compileCache } from './compile-cache.ts';
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
  /** SIGSTOP: its sockets stay open without any response. */
  freeze(): void;
  thaw(): void;
  /** Starts it again on the same ports, with other variables where given, or from the directory of another release. */
  start(env?: Environment, root?: string): Promise<void>;
  /** State with which another test file can continue to use it. */
  recipe(): ServiceRecipe;
}

/** How a service was started, and which process that is. */
export interface ServiceRecipe {
  readonly service: ProgramName;
  readonly name: string;
  readonly logFile: string;
  readonly env: Environment;
  readonly ports: Readonly<Record<string, number>>;
  readonly process: ProcessId;
}

export type Environment = Readonly<Record<string, string>>;

/** Variables that name the ports of each service. */
const portVariables: Readonly<Record<ProgramName, readonly string[]>> = {
  'business-service': ['HTTP_PORT', 'GRPC_PORT', 'OPS_PORT'],
  'identity-service': ['HTTP_PORT', 'GRPC_PORT', 'OPS_PORT'],
  'webhook-service': ['GRPC_PORT', 'OPS_PORT'],
  gateway: ['PORT', 'OPS_PORT'],
  canary: ['OPS_PORT', 'HTTP_PORT'],
};

const loopback = {
  MODE: 'local',
  HTTP_HOST: '127.0.0.1',
  GRPC_HOST: '127.0.0.1',
  OPS_HOST: '127.0.0.1',
  DRAIN_DELAY_MS: '0',
  ...compileCache,
};

/** Starts a service with free ports and waits until it is ready. @throws with the end of its log when it is not */
export async function spawnService(
  service: ProgramName,
  env: Environment,
  name?: string,
): Promise<TestService> {
  const portEnv: Record<string, string> = {};
  for (const variable of portVariables[service]) portEnv[variable] = `${await freePort()}`;
  const start = {
    service,
    name: name ?? service,
    logFile: runDirectory().newLogFile(name ?? service),
    env: { ...loopback, ...portEnv, ...env },
  };
  return testService(start, await launch(start, {}));
}

/** A service that an earlier test file of this worker started; `onStart` is called when it was started again. */
export function attachService(recipe: ServiceRecipe, onStart: () => void): TestService {
  return testService(recipe, { ports: recipe.ports, process: attachProcess(recipe.process) }, onStart);
}

type Start = Omit<ServiceRecipe, 'ports' | 'process'>;

interface Running {
  readonly process: TestProcess;
  readonly ports: Readonly<Record<string, number>>;
}

function launch({ service, name, logFile, env }: Start, extra: Environment, root?: string): Promise<Running> {
  const { records } = runDirectory();
  return startService({ service, name, logFile, env: { ...env, ...extra }, records, root });
}

function testService(start: Start, first: Running, onStart = () => {}): TestService {
  let running = first;
  return {
    ports: running.ports,
    logFile: start.logFile,
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
    start: async (extra = {}, root) => {
      if (running.process.isRunning()) return;
      running = await launch(start, extra, root);
      onStart();
    },
    recipe: () => {
      const { service, name, logFile, env } = start;
      return { service, name, logFile, env, ports: running.ports, process: processId(running.process) };
    },
  };
}
