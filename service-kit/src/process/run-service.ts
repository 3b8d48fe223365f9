import { flushCompileCache } from 'node:module';
import { ConfigError } from '../config/config.ts';
import type { Logger } from '../telemetry/logger.ts';
import './no-proxy.ts';

/** A started service. */
export interface RunningService {
  readonly logger: Logger;
  /** Ports that it listens on, by name. */
  readonly ports: Readonly<Record<string, number>>;
  /** Drains and ends it; resolves when nothing is running. */
  stop(): Promise<void>;
}

/** Milliseconds after which the process exits without a graceful end. */
const stopLimitMs = 32_000;

/** Milliseconds for writing the last log lines, which may have no reader. By then the log knows whether its output blocks. */
const flushLimitMs = 5_000;

/**
 * Starts a service and ends it on SIGTERM or SIGINT. After an exception outside of requests its state is uncertain, so it
 * drains and exits with 1. If the start fails, prints the error and exits with 78 for an invalid configuration, 1 otherwise.
 * Sends `{ ready: true, ports }` to a parent process with an IPC channel.
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
    // With NODE_COMPILE_CACHE, the next start compiles nothing, even if this process is killed.
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
  process.exitCode = 1;
  setTimeout(() => process.exit(), stopLimitMs).unref();
  const end = (exitCode: number) => {
    process.exitCode = exitCode;
    setTimeout(() => process.exit(), flushLimitMs);
    logger.flush(() => process.exit());
  };
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

/** Ends with the reason, as launchers show the last line of a log. */
function describe(error: unknown): string {
  return error instanceof Error ? `${error.stack ?? ''}\n${error.message || error.name}` : String(error);
}
