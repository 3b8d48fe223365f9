import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from '@jest/globals';

/** Characters beyond what a pipe, a socket and this process hold. */
const flood = 400_000;

/** A service with more log lines than an output takes that nothing reads. */
const script = `
  import { runService } from '${new URL('./run-service.ts', import.meta.url).href}';
  import { createLogger } from '${new URL('../telemetry/logger.ts', import.meta.url).href}';
  const logger = createLogger({ service: 'test', level: 'info' });
  for (let i = 0; i < ${flood / 1_000}; i++) logger.info('x'.repeat(1_000));
  const work = setInterval(() => undefined, 1_000);
  const stop = async () => clearInterval(work);
  await runService(async () => ({ logger, ports: {}, stop }));
  process.on('message', () => { throw new Error('x'); });`;

const cleanUps: (() => void)[] = [];

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** A service that is ready, with standard output as given. */
async function startService(output: 'pipe' | number): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', output, 'inherit', 'ipc'],
  });
  cleanUps.push(() => child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

/** Exit code and signal; gives up long after the service should have ended. */
const exitOf = (child: ChildProcess) => once(child, 'exit', { signal: AbortSignal.timeout(60_000) });

/** Both ends of a pipe; no reader until the first is used. */
function openPipe(): { readonly reader: number; readonly writer: number } {
  const directory = mkdtempSync(join(tmpdir(), 'pipe-'));
  const path = join(directory, 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  rmSync(directory, { recursive: true });
  cleanUps.push(() => closeSync(writer));
  return { reader, writer };
}

test.each<[string, number, (child: ChildProcess) => unknown]>([
  ['SIGTERM', 0, (child) => child.kill('SIGTERM')],
  ['an exception', 1, (child) => child.send({})],
])('a service whose pipe nothing reads ends after %s with %i', async (_, code, end) => {
  const { reader, writer } = openPipe();
  cleanUps.push(() => closeSync(reader));
  const child = await startService(writer);
  end(child);
  expect(await exitOf(child)).toEqual([code, null]);
});

test('a service whose output blocks permanently, and is not a pipe, kills itself', async () => {
  const child = await startService('pipe');
  child.kill('SIGTERM');
  expect(await exitOf(child)).toEqual([null, 'SIGKILL']);
});

test('a service whose pipe is read late writes every line before it ends', async () => {
  const { reader, writer } = openPipe();
  const child = await startService(writer);
  child.kill('SIGTERM');
  let lines = 0;
  let last = '';
  for await (const line of createInterface(new Socket({ fd: reader, readable: true, writable: false }))) {
    last = line;
    if (JSON.parse(line).msg.startsWith('x')) lines++;
    if (JSON.parse(line).msg === 'stopped') break;
  }
  expect(lines).toBe(flood / 1_000);
  expect(JSON.parse(last).msg).toBe('stopped');
  expect(await exitOf(child)).toEqual([0, null]);
});
