import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freshLog, type LocalDirectory } from './directory.ts';
import { startChild, untilReady } from './process/child.ts';
import { freePort } from './process/free-port.ts';
import type { DemoApplication } from './seed/context.ts';
import type { Part } from './supervisor.ts';

const program = fileURLToPath(new URL('../../examples/oauth-client/main.ts', import.meta.url));
const readyLimitMs = 30_000;

/** A port that is held for the demo client until it starts. */
interface HeldPort {
  readonly port: number;
  release(): Promise<void>;
}

/** Holds the wanted loopback port, or another free one, so that a second platform that starts now does not take it. */
export function holdPortForDemoClient(wanted: number): Promise<HeldPort> {
  return new Promise((resolve, reject) => {
    // Closes connections at once, because an open one would prevent the release of the port.
    const holder = createServer((socket) => socket.on('error', () => undefined).destroy());
    holder.once('error', () => freePort().then(holdPortForDemoClient).then(resolve, reject));
    holder
      .unref()
      .listen(wanted, '127.0.0.1', () =>
        resolve({ port: wanted, release: () => new Promise((released) => holder.close(() => released())) }),
      );
  });
}

/** Runs examples/oauth-client as the demo application, and waits until it says that it listens. */
export async function startDemoClient(
  { clientId, clientSecret, redirectUri, scopes }: DemoApplication,
  webhookSecret: string,
  issuer: string,
  directory: LocalDirectory,
): Promise<Part> {
  const { origin, port } = new URL(redirectUri);
  const logFile = freshLog(directory.logFile('demo-application'));
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
      WEBHOOK_SECRET: webhookSecret,
      PORT: port,
    },
    logFile,
    records: directory.records,
  });
  const listens = async () => {
    if (!readFileSync(logFile, 'utf8').includes(origin)) throw new Error(`${origin} is not listened on yet`);
  };
  await untilReady(child, listens, readyLimitMs);
  return { process: child, stop: () => child.stop('SIGTERM', 2_000) };
}
