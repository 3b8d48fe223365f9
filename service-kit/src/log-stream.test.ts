import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';

const moduleUrl = new URL('./log-stream.ts', import.meta.url).href;
const loggerUrl = new URL('./logger.ts', import.meta.url).href;
const count = 3_000;

/** Lines on standard output of a process that writes numbered lines, and then does as `end` says. */
async function linesOf(end: string): Promise<string[]> {
  const script = `
    import { createLogStream } from '${moduleUrl}';
    import { createLogger } from '${loggerUrl}';
    const stream = createLogStream();
    const logger = createLogger({ service: 'test', level: 'info', stream });
    for (let i = 0; i < ${count}; i++) stream.write(JSON.stringify({ i }) + '\\n');
    ${end}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return (await text(child.stdout)).trimEnd().split('\n');
}

const numbered = Array.from({ length: count }, (_, i) => JSON.stringify({ i }));

test.each([
  ['ends', ''],
  ['exits', 'process.exit(1)'],
  ['ends at an exception', "throw new Error('x')"],
  ['kills itself after a flush', "stream.flush(() => process.kill(process.pid, 'SIGKILL'))"],
  ['kills itself a while later', "setTimeout(() => process.kill(process.pid, 'SIGKILL'), 600)"],
])('a process that %s has written every line, in order', async (_, end) => {
  expect(await linesOf(end)).toEqual(numbered);
});

test('a fatal line is written at once, after those before it', async () => {
  const lines = await linesOf("logger.fatal('last'); process.kill(process.pid, 'SIGKILL')");
  expect(lines.slice(0, -1)).toEqual(numbered);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 'fatal', msg: 'last' });
});
