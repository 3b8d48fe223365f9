import { statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { run } from '../../packages/cli/src/program.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { signUp } from '../harness/people.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { press } from './locators.ts';
import { setStage } from './stage.ts';

/** `login` of the command line program, with the browser on the same machine. */

const stage = setStage();

/** Starts the command in a terminal of its own. */
function startLogin() {
  const lines: string[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true }) as unknown as NodeJS.ReadStream;
  const directory = runDirectory().newDirectory('cli');
  const end = new AbortController();
  const done = run(['login', '--url', stage.platform.publicUrl], {
    terminal: {
      stdin,
      out: (line) => lines.push(line),
      note: (line) => lines.push(line),
      columns: undefined,
      hasColors: false,
    },
    env: { XDG_CONFIG_HOME: directory },
    name: 'business-api',
    version: '1.0.0',
    platform: stage.platform.publicUrl,
    signal: end.signal,
  });
  const output = () => lines.join('\n');
  const found = (pattern: RegExp) =>
    expectEventually(
      () => {
        const [, text] = pattern.exec(output()) ?? [];
        if (text === undefined) throw new Error(`The program printed:\n${output()}`);
        return text;
      },
      { withinMs: 5_000 },
    );
  return { done, output, found, end: () => end.abort(), file: join(directory, 'business-api/default.json') };
}

test('a key that is created on the page of the link arrives in the terminal, and stands in no history', async () => {
  const ada = await signUp(stage.platform);
  const login = startLogin();
  const link = new URL(await login.found(/^ {2}(http\S+)$/m));
  const code = await login.found(/code ([0-9A-F]{4}-[0-9A-F]{4})/);
  const { page, context, problems } = await stage.enterAs(ada, link.pathname + link.search);
  await page.getByText(code, { exact: true }).waitFor();
  await press(page, 'Create key');
  const dialog = page.getByRole('dialog', { name: 'Your new API key' });
  const key = (await dialog.locator('code').first().textContent()) ?? '';
  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    dialog.getByRole('link', { name: 'Send it to the program' }).click(),
  ]);
  await opened.getByText('The program has the key. You can close this window.').waitFor();
  expect(new URL(opened.url()).hash).toBe('');
  expect(await login.done).toBe(0);
  expect(login.output()).toContain('Logged in at');
  expect(login.output()).not.toContain(key);
  expect((statSync(login.file).mode & 0o777).toString(8)).toBe('600');
  const address = await dialog.getByRole('link', { name: 'Send it to the program' }).getAttribute('href');
  expect(address).not.toContain(key);
  expect(problems).toEqual([]);
});

test('the terminal takes no key from another site, under another host name, or sealed for another program', async () => {
  const login = startLogin();
  const link = new URL(await login.found(/^ {2}(http\S+)$/m));
  const [port = ''] = (link.searchParams.get('pair') ?? '').split('.');
  const post = (headers: Record<string, string>, body = 'x'.repeat(200)) =>
    request(Number(port), 'POST', '/', { headers: { Connection: 'close', ...headers }, body });
  const own = `http://127.0.0.1:${port}`;
  expect((await post({ Origin: 'https://evil.example' })).status).toBe(404);
  expect((await post({})).status).toBe(404);
  expect((await post({ Origin: own, Host: `evil.example:${port}` })).status).toBe(404);
  expect((await post({ Origin: own })).status).toBe(400);
  expect((await post({ Origin: own }, 'A'.repeat(10_000))).status).toBe(400);
  expect((await request(Number(port), 'GET', '/x', { headers: { Connection: 'close' } })).status).toBe(404);
  login.end();
  expect(await login.done).toBe(130);
  await expect(request(Number(port), 'GET', '/', { headers: { Connection: 'close' } })).rejects.toThrow();
});
