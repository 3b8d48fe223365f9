import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createBrowser } from '../harness/browser.ts';
import { signUp, type TestPerson } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Delivery of the dashboard: its page, the files that it loads, and its Content-Security-Policy. */

const root = fileURLToPath(new URL('../../', import.meta.url));

const platform = running(sharedPlatform);
let ada: TestPerson;
beforeAll(async () => {
  ada = await signUp(platform);
});

const get = (path: string, headers: Record<string, string> = {}) =>
  platform.request(0, 'GET', path, { headers });
const open = (path: string) => ada.browser.send('GET', path);

/** Addresses of everything that a page loads. */
const loadedBy = (page: string) =>
  [...page.matchAll(/ (?:src|href)="([^"]+)"/g)]
    .map(([, path = '']) => path)
    .filter((path) => !path.startsWith('/account/'));

describe('the page', () => {
  test('is the same at every address of the dashboard', async () => {
    const strip = (text: string) => text.replace(/nonce="[^"]*"/, '');
    const pages = ['/dashboard', '/dashboard/7/settings/developers/keys', '/dashboard/a/b/c.js?d=e'].map(
      open,
    );
    const [first, ...others] = await Promise.all(pages);
    expect([first?.status, first?.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const other of others) expect(strip(other.text)).toBe(strip(first?.text ?? ''));
  });

  test('requires a login, which leads back to it', async () => {
    const stranger = createBrowser(platform.gatewayPorts[0] ?? 0);
    const path = '/dashboard/7/settings/developers/requests?status=429&from=2026-11-01';
    const response = await stranger.send('GET', path);
    expect([response.status, response.headers.location]).toEqual([
      303,
      `/login?continue=${encodeURIComponent(path)}`,
    ]);
    await stranger.open(path);
    const back = await stranger.submit('/login', { email: ada.email, password: ada.password });
    expect(back.headers.location).toBe(path);
  });

  test('allows its own scripts and nothing else, and styles by a nonce that is new each time', async () => {
    const responses = await Promise.all([open('/dashboard'), open('/dashboard')]);
    const nonces = responses.map(({ headers, text }) => {
      const nonce = /<meta property="csp-nonce" nonce="([A-Za-z0-9+/=]{24})">/.exec(text)?.[1] ?? '';
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; form-action 'self'; ` +
          "frame-ancestors 'none'; base-uri 'none'; script-src 'self'; font-src 'self'; connect-src 'self'",
      );
      expect(headers['cache-control']).toBe('no-store');
      return nonce;
    });
    expect(new Set(nonces).size).toBe(2);
  });

  test('has no inline script, no inline style, and loads from nowhere else', async () => {
    const { text } = await open('/dashboard');
    const scripts = [...text.matchAll(/<script[^>]*>([^<]*)<\/script>/g)];
    expect(scripts.length).toBeGreaterThan(1);
    expect(scripts.map(([, content]) => content)).toEqual(scripts.map(() => ''));
    expect(text).not.toMatch(/<style| style=| on\w+=/);
    expect(loadedBy(text).filter((path) => !path.startsWith('/dashboard/assets/'))).toEqual([]);
  });
});

describe('the files that the page loads', () => {
  test('is public, compressed, and cached permanently', async () => {
    const paths = loadedBy((await open('/dashboard')).text);
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) {
      const [plain, br, gzip] = await Promise.all([
        get(path, { 'Accept-Encoding': 'identity' }),
        get(path, { 'Accept-Encoding': 'gzip, deflate, br' }),
        get(path, { 'Accept-Encoding': 'gzip' }),
      ]);
      const codings = [plain, br, gzip].map(({ headers }) => headers['content-encoding']);
      expect([path, ...codings]).toEqual([path, undefined, 'br', 'gzip']);
      for (const { status, headers } of [plain, br, gzip]) {
        expect([status, headers['cache-control'], headers.vary]).toEqual([
          200,
          'public,max-age=31536000,immutable',
          'Accept-Encoding',
        ]);
      }
    }
  });

  test('has the same content in every encoding', async () => {
    const path = loadedBy((await open('/dashboard')).text).find((each) => each.endsWith('.js')) ?? '';
    const bytes = async (coding: string) => {
      const response = await bodyOf(path, coding);
      if (coding === 'br') return brotliDecompressSync(response);
      return coding === 'gzip' ? gunzipSync(response) : response;
    };
    const digests = await Promise.all(
      ['identity', 'br', 'gzip'].map(async (coding) =>
        createHash('sha256')
          .update(await bytes(coding))
          .digest('hex'),
      ),
    );
    expect(new Set(digests).size).toBe(1);
  });

  test('is sent whole, even for a Range request', async () => {
    const [path = ''] = loadedBy((await open('/dashboard')).text);
    for (const range of ['bytes=0-3', 'bytes=9-3', 'bytes=99999999-', 'bytes=-1']) {
      const { status, text } = await get(path, { Range: range, 'Accept-Encoding': 'identity' });
      expect([range, status, text.length]).toEqual([range, 200, (await get(path)).text.length]);
    }
  });

  test.each([
    '/dashboard/assets/',
    '/dashboard/assets/index.js',
    '/dashboard/assets/../index.html',
    '/dashboard/assets/..%2findex.html',
    '/dashboard/assets/%2e%2e/stamp.json',
    '/dashboard/assets/..%5c..%5cpackage.json',
    '/dashboard/assets/%00',
    '/dashboard/assets/%zz',
  ])('has no file at %s', async (path) => {
    const { status, headers, text } = await get(path);
    expect([400, 401, 404]).toContain(status);
    expect(headers['cache-control']).toMatch(/no-store/);
    expect(text).not.toMatch(/__STYLE_NONCE__|firstLoad|devDependencies/);
  });
});

test('without a built dashboard, in local mode, the page says how to build it', async () => {
  const local = await startPlatform({ identityEnv: { DASHBOARD_DIR: '/nowhere' } });
  try {
    await expect(signUp(local)).rejects.toThrow('Run <code>npm run build</code>');
    expect((await local.request(0, 'GET', '/login')).status).toBe(200);
  } finally {
    await local.close();
  }
});

test('a file that is deleted while the service runs fails only its own response', async () => {
  const directory = runDirectory().newDirectory('dashboard');
  mkdirSync(`${directory}/assets`);
  writeFileSync(`${directory}/index.html`, '');
  writeFileSync(`${directory}/assets/part.js`, 'part();');
  const local = await startPlatform({ identityEnv: { DASHBOARD_DIR: directory } });
  try {
    const part = () => local.request(0, 'GET', '/dashboard/assets/part.js');
    expect((await part()).text).toBe('part();');
    rmSync(`${directory}/assets/part.js`);
    expect((await part()).status).toBe(502);
    expect((await local.request(0, 'GET', '/login')).status).toBe(200);
    expect(local.identities[0]?.isRunning()).toBe(true);
  } finally {
    await local.close();
  }
});

test('a second build with the same sources has nothing to do', () => {
  const build = () => spawnSync(process.execPath, ['dashboard/build.ts'], { cwd: root, encoding: 'utf8' });
  build();
  const assets = () => readdirSync(`${root}dashboard/dist/assets`).sort();
  const before = assets();
  expect(build().stdout).toMatch(/^The dashboard is up to date\. Script of the first load: [\d.]+ kB/);
  expect(assets()).toEqual(before);
});

/** The body as it travels. */
async function bodyOf(path: string, coding: string): Promise<Buffer> {
  const head = `GET ${path} HTTP/1.1\r\nHost: platform.test\r\nAccept-Encoding: ${coding}\r\nConnection: close\r\n\r\n`;
  // It ends with its connection, however slowly it comes.
  const { text } = await rawRequest(platform.gatewayPorts[0] ?? 0, head, { quietMs: 30_000 });
  return Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4), 'latin1');
}
