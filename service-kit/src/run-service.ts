import { flushCompileCache } from 'node:module';
import { ConfigError } from './config.ts';
import type { Logger } from './logger.ts';

/** A started service: how to end it. */
export interface RunningService {
  readonly logger: Logger;
  /** Ports that it listens on, by name. */
  readonly ports: Readonly<Record<string, number>>;
  /** Ends it gracefully; resolves when nothing is left running. */
  stop(): Promise<void>;
}

/** Milliseconds after which a graceful end is given up. */
const stopLimitMs = 32_000;

/**
 * Starts a service and ends it on SIGTERM or SIGINT. After an exception that belongs to no request its state is in doubt:
 * it ends as well, with 1, but what is under way is finished first. A configuration fault is printed and ends the process with 78,
 * any other failure to start with 1. A parent with an IPC channel hears
 * `{ ready: true, ports }`.
 */
export async function runService(start: () => Promise<RunningService>): Promise<void> {
  try {
    const service = await start();
    const stop = once((cause: object, code: number) => stopService(service, cause, code));
    const onSignal = (signal: string) => stop({ signal }, 0);
    const onException = (error: unknown) => {
      service.logger.fatal({ err: error }, 'unexpected exception');
      stop({ signal: 'exception' }, 1);
    };
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
    process.on('unhandledRejection', onException).on('uncaughtException', onException);
    process.send?.({ ready: true, ports: service.ports });
    // With NODE_COMPILE_CACHE the next start compiles nothing, even when this process is killed.
    flushCompileCache();
  } catch (error) {
    const isConfig = error instanceof ConfigError;
    process.stderr.write(`${isConfig ? error.message : describe(error)}\n`);
    process.exit(isConfig ? 78 : 1);
  }
}

async function stopService(service: RunningService, cause: object, code: number): Promise<void> {
  const { logger } = service;
  logger.info(cause, 'stopping');
  setTimeout(() => process.exit(1), stopLimitMs).unref();
  const end = (exitCode: number) => logger.flush(() => process.exit(exitCode));
  try {
    await service.stop();
    logger.info('stopped');
    end(code);
  } catch (error) {
    logger.fatal({ err: error }, 'could not stop');
    end(1);
  }
}

function once<A extends unknown[]>(run: (...args: A) => void): (...args: A) => void {
  let done = false;
  return (...args) => {
    if (done) return;
    done = true;
    run(...args);
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
