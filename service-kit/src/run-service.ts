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
const stopLimitMs = 30_000;

/**
 * Starts a service and ends it on SIGTERM or SIGINT. A configuration fault is printed and ends the process with 78,
 * any other failure to start with 1. A parent with an IPC channel hears
 * `{ ready: true, ports }`.
 */
export async function runService(start: () => Promise<RunningService>): Promise<void> {
  try {
    const service = await start();
    const stop = once((signal: string) => stopService(service, signal));
    process.on('SIGTERM', stop).on('SIGINT', stop);
    process.on('unhandledRejection', (error) => crash(service.logger, error));
    process.on('uncaughtException', (error) => crash(service.logger, error));
    process.send?.({ ready: true, ports: service.ports });
  } catch (error) {
    const isConfig = error instanceof ConfigError;
    process.stderr.write(`${isConfig ? error.message : describe(error)}\n`);
    process.exit(isConfig ? 78 : 1);
  }
}

async function stopService(service: RunningService, signal: string): Promise<void> {
  const { logger } = service;
  logger.info({ signal }, 'stopping');
  setTimeout(() => process.exit(1), stopLimitMs).unref();
  await service.stop();
  logger.info('stopped');
  logger.flush(() => process.exit(0));
}

function crash(logger: Logger, error: unknown): void {
  logger.fatal({ err: error }, 'crashed');
  logger.flush(() => process.exit(1));
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
