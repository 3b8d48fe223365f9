import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';

const moduleUrl = new URL('./log-stream.ts', import.meta.url).href;
const loggerUrl = new URL('./logger.ts', import.meta.url).href;
const count = 12_000;

/** A process that runs a script with a log stream. */
function start(script: string, output: 'pipe' | number) {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { createLogStream } from '${moduleUrl}';
      import { createLogger } from '${loggerUrl}';
      const stream = createLogStream();
      const logger = createLogger({ service: 'test', level: 'info', stream });
      ${script}`,
    ],
    { stdio: ['ignore', output, 'pipe'] },
  );
  const { stdout, stderr } = child;
  return { child, stdout: stdout ?? Readable.from([]), stderr: stderr ?? Readable.from([]) };
}

const writeNumbered = `for (let i = 0; i < ${count}; i++) stream.write(JSON.stringify({ i }) + '\\n');`;

/** Lines on standard output of a process that writes numbered lines, and then does as `end` says. */
async function linesOf(end: string): Promise<string[]> {
  const { stdout } = start(`${writeNumbered} ${end}`, 'pipe');
  return (await text(stdout)).trimEnd().split('\n');
}

const numbered = Array.from({ length: count }, (_, i) => JSON.stringify({ i }));

test.each([
  ['ends', ''],
  ['exits', 'process.exit(1)'],
  ['ends at an exception', "throw new Error('x')"],
  ['kills itself after a flush', "stream.flush(() => process.kill(process.pid, 'SIGKILL'))"],
])('a process that %s has written every line, in order', async (_, end) => {
  expect(await linesOf(end)).toEqual(numbered);
});

test('a write that waits for a thread precedes later lines when the process exits', async () => {
  const busy = `const { pbkdf2 } = await import('node:crypto');
    for (let n = 0; n < 4; n++) pbkdf2('', '', 40_000, 64, 'sha512', () => undefined);`;
  const { stdout } = start(`${busy} ${writeNumbered} process.exit(1)`, 'pipe');
  expect((await text(stdout)).trimEnd().split('\n')).toEqual(numbered);
});

test('a process that keeps running writes its last lines without delay', async () => {
  const { child, stdout } = start(`${writeNumbered} setInterval(() => undefined, 1_000);`, 'pipe');
  const lines: string[] = [];
  for await (const line of createInterface(stdout)) if (lines.push(line) === count) break;
  child.kill();
  expect(lines).toEqual(numbered);
});

test('a fatal line is written at once, after all earlier lines', async () => {
  const lines = await linesOf("logger.fatal('last'); process.kill(process.pid, 'SIGKILL')");
  expect(lines.slice(0, -1)).toEqual(numbered);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 'fatal', msg: 'last' });
});

test('a process keeps running, and can exit, when its lines cannot be written', async () => {
  const full = openSync('/dev/full', 'w');
  const { child, stderr } = start(
    `logger.info('x'); logger.flush(() => { logger.info('y'); logger.flush(() => process.stderr.write('goes on')); });`,
    full,
  );
  const exited = once(child, 'exit');
  expect(await text(stderr)).toBe('goes on');
  expect(await exited).toEqual([0, null]);
  closeSync(full);
});

test('lines beyond the buffer are dropped and counted when nothing reads them', async () => {
  const [length, written] = [100, 100_000];
  const { child, stdout, stderr } = start(
    `for (let i = 0; i < ${written}; i++) stream.write('x'.repeat(${length - 1}) + '\\n');
    process.stderr.write('written');
    setInterval(() => stream.write('y\\n'), 20);`,
    'pipe',
  );
  await once(stderr, 'data');
  let kept = 0;
  for await (const line of createInterface(stdout)) {
    if (line.startsWith('x')) kept++;
    if (!line.startsWith('{')) continue;
    expect(JSON.parse(line)).toMatchObject({ msg: 'log lines were dropped' });
    expect(kept).toBeGreaterThan(40_000);
    // Lines of the interval may be among them.
    expect(kept + JSON.parse(line).lines).toBeGreaterThanOrEqual(written);
    break;
  }
  child.kill();
});
