import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freshLog, type LocalDirectory } from './directory.ts';
import { startChild, untilReady } from './process/child.ts';
import { freePort } from './process/free-port.ts';
import type { DemoApplication } from './seed/context.ts';
import type { Part } from './supervisor.ts';

const program = fileURLToPath(new URL('../../examples/oauth-client/main.ts', import.meta.url));
const readyLimitMs = 30_000;

/** The wanted port of the loopback address where it is free, else another. */
export function portForDemoClient(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', () => freePort().then(resolve, reject));
    probe.listen(wanted, '127.0.0.1', () => probe.close(() => resolve(wanted)));
  });
}

/** Runs examples/oauth-client as the demo application, and waits until it responds. */
export async function startDemoClient(
  { clientId, clientSecret, redirectUri, scopes }: DemoApplication,
  issuer: string,
  directory: LocalDirectory,
): Promise<Part> {
  const { origin, port } = new URL(redirectUri);
  const child = await startChild({
    name: 'demo application',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', program],
    env: {
      ISSUER: issuer,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      REDIRECT_URI: redirectUri,
      SCOPE: scopes.join(' '),
      PORT: port,
    },
    logFile: freshLog(directory.logFile('demo-application')),
    records: directory.records,
  });
  await untilReady(child, () => fetch(origin, { headers: { Connection: 'close' } }), readyLimitMs);
  return { process: child, stop: () => child.stop('SIGTERM', 2_000) };
}
