import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { readApi } from '@platform/service-kit/api/api.ts';
import { ApiDocumentError } from '@platform/service-kit/api/document.ts';
import { freshLog, type LocalDirectory } from './directory.ts';
import { startChild, untilReady } from './process/child.ts';
import { StartError } from './settings.ts';
import type { Part } from './supervisor.ts';

/** A service of a developer's behind the platform: `npm start -- --with <folder>`. */
export interface OwnApi {
  /** As the developer wrote it. */
  readonly folder: string;
  /** Directory of its documents, for API_DIR. */
  readonly documents: string;
  /** The file that runs it. */
  readonly program: string;
  /** Where its upstreams listen, by its documents. */
  readonly origins: readonly string[];
  /** Such as `GET /v2/invoices`. */
  readonly operations: readonly string[];
}

/** The documents in `api/` of a folder, and the `main.ts` beside it. @throws StartError */
export function readOwnApi(folder: string): OwnApi {
  const documents = resolve(folder, 'api');
  const program = resolve(folder, 'main.ts');
  if (!existsSync(program)) throw new StartError(`--with ${folder}: there is no ${join(folder, 'main.ts')}`);
  try {
    const { upstreams, operations } = readApi(documents);
    return {
      folder,
      documents,
      program,
      origins: upstreams.flatMap(({ origins }) => origins),
      operations: operations
        .filter(({ document }) => !document.isPlatform)
        .map(({ method, path }) => `${method} ${path}`),
    };
  } catch (error) {
    throw error instanceof ApiDocumentError ? new StartError(`--with ${folder}: ${error.message}`) : error;
  }
}

const readyLimitMs = 30_000;

/** Runs the service, and waits until it listens. Its errors are printed. */
export async function startOwnService(
  { folder, program, origins }: OwnApi,
  passportKeysUrl: string,
  directory: LocalDirectory,
  watch: boolean,
): Promise<Part> {
  const child = await startChild({
    name: folder,
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', ...(watch ? ['--watch'] : []), program],
    env: { PATH: process.env.PATH ?? '', PASSPORT_KEYS_URL: passportKeysUrl },
    logFile: freshLog(directory.logFile('own-api')),
    records: directory.records,
    stderr: 'inherit',
  });
  await untilReady(child, () => Promise.all(origins.map(connectTo)), readyLimitMs);
  return { process: child, stop: () => child.stop('SIGTERM', 2_000) };
}

function connectTo(origin: string): Promise<void> {
  const { hostname, port, protocol } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port) || (protocol === 'https:' ? 443 : 80), hostname, resolve);
    socket.once('connect', () => socket.destroy()).once('error', reject);
  });
}
