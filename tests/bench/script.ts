import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { expectEventually } from '../harness/expect-eventually.ts';

/** A process of a bench. */
export interface Script {
  readonly port: number;
  readonly pid: number;
  stop(): void;
}

/** Starts a script of this project with a port to listen on as its first argument, and waits until it does. */
export async function startScript(
  path: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Script> {
  const port = await freePort();
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const child = spawn(process.execPath, ['--max-semi-space-size=16', file, String(port), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  });
  process.on('exit', () => child.kill());
  await expectEventually(() => connectOnce(port), { withinMs: 10_000 });
  return { port, pid: child.pid ?? 0, stop: () => child.kill() };
}

function connectOnce(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
