import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { createBrowser } from '../harness/browser.ts';
import { request } from '../harness/http-request.ts';
import { type NpmStart, npmStart } from '../harness/npm-start.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { pastedCurl } from '../harness/shell.ts';

/* npm start where the path of the project, the variables of the shell and the address are not those of its authors. */

const root = resolve(import.meta.dirname, '../..');
const notCopied = new Set(['node_modules', '.git', '.local', '.docker', 'dist']);
/** Nothing listens there. */
const proxy = 'http://127.0.0.1:9';
const proxies = ['http_proxy', 'https_proxy', 'grpc_proxy', 'all_proxy'];
const shell = {
  ...Object.fromEntries(
    [...proxies, ...proxies.map((name) => name.toUpperCase())].map((name) => [name, proxy]),
  ),
  NODE_USE_ENV_PROXY: '1',
  PGSSLMODE: 'require',
  PGHOST: 'nowhere.invalid',
  PGPORT: '9',
  PGPASSWORD: 'wrong',
  PGOPTIONS: '-c search_path=pg_temp',
  HTTP_HOST: '0.0.0.0',
};

let project: string;
let start: NpmStart | undefined;
beforeAll(() => {
  project = join(runDirectory().newDirectory('path'), `a #1 50% it's "é"`);
  cpSync(root, project, {
    recursive: true,
    filter: (from) => !notCopied.has(from.slice(dirname(from).length + 1)),
  });
  for (const modules of globSync('{.,*}/node_modules', { cwd: root })) link(modules);
});
afterAll(async () => {
  start?.ctrlC();
  await start?.exited;
});

/** Files are shared where both are on one disk. */
function link(modules: string): void {
  const [from, to] = [join(root, modules), join(project, modules)];
  try {
    execFileSync('cp', ['-RPl', from, to], { stdio: 'ignore' });
  } catch {
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, force: true });
  }
}

async function begin(directory: string, env: Readonly<Record<string, string>>) {
  start?.ctrlC();
  await start?.exited;
  start = await npmStart(join(project, directory), { ...shell, ...env }, 'start', project);
  return { pasted: pastedCurl(await start.untilReady()), output: start.output() };
}

test('npm start works in a folder with any name, and with proxy and PG variables in the environment', async () => {
  const port = await freePort();
  const { pasted, output } = await begin('.local', { PORT: `${port}` });
  expect(output).toMatch(/^ +documentation +built /m);
  expect(output).toMatch(/^ +dashboard +built /m);
  const { pathname } = new URL(pasted.url);
  const response = await request(port, 'GET', pathname, {
    headers: { ...pasted.headers, Connection: 'close' },
  });
  expect(response.status).toBe(200);
  expect(output).toMatch(
    new RegExp(`^ +HTTP_HOST=0\\.0\\.0\\.0 PORT=${port} PUBLIC_URL=http://\\S+:${port} npm start$`, 'm'),
  );
});

test('PUBLIC_URL is printed by npm start, used for links in emails, and required as the origin of forms', async () => {
  const port = await freePort();
  const publicUrl = `http://platform.test:${port}`;
  const { pasted, output } = await begin('public', { PORT: `${port}`, PUBLIC_URL: publicUrl });
  expect([new URL(pasted.url).origin, output]).toEqual([
    publicUrl,
    expect.stringContaining(`: ${publicUrl}\n`),
  ]);
  expect(output).not.toContain('HTTP_HOST=');
  expect(output).toContain(`not started: ${publicUrl} cannot be reached from here`);
  const mails = join(project, 'public/mail');
  const texts = existsSync(mails)
    ? readdirSync(mails).map((name) => readFileSync(join(mails, name), 'utf8'))
    : [];
  expect(texts.join('').replaceAll('=\r\n', '')).toContain(`${publicUrl}/signup/confirm?token`);
  const statuses = [publicUrl, `http://192.0.2.1:${port}`].map(async (origin) => {
    const browser = createBrowser(port, { headers: { Connection: 'close', Origin: origin } });
    await browser.open('/login');
    return (await browser.submit('/login', { email: 'stranger@platform.test', password: 'wrong' })).status;
  });
  expect(await Promise.all(statuses)).toEqual([400, 403]);
});
