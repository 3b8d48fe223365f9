import { beforeAll, expect, test } from '@jest/globals';
import { request } from '../harness/http-request.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/* The documentation for programs, which begin with the address of the platform alone. */

const platform = running(() => sharedPlatform());
const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  request(platform.gatewayPorts[0] ?? 0, 'GET', path, { headers });

/** Paths of the pages that llms.txt links to, as Markdown. */
let pages: readonly string[];
beforeAll(async () => {
  const { status, headers, text } = await get('/llms.txt');
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  const links = [...text.matchAll(/\]\((.*?)\)/g)].map(([, link = '']) => new URL(link));
  expect(links.filter(({ origin }) => origin !== platform.publicUrl)).toEqual([]);
  pages = links.map(({ pathname }) => pathname).filter((path) => path.endsWith('.md'));
  expect(pages).toEqual(
    expect.arrayContaining(['/docs/index.md', '/docs/first-call.md', '/docs/reference.md']),
  );
  for (const { pathname } of links) expect([pathname, (await get(pathname)).status]).toEqual([pathname, 200]);
});

test('llms.txt leads to every page as Markdown, whose links lead to others', async () => {
  for (const path of pages) {
    const { headers, text } = await get(path);
    expect([path, headers['content-type'], text.slice(0, 2)]).toEqual([
      path,
      'text/markdown; charset=utf-8',
      '# ',
    ]);
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(
      ([, link = '']) => new URL(link, `http://x${path}`),
    );
    for (const { host, pathname } of links) {
      if (host !== 'x' || !pathname.startsWith('/docs')) continue;
      expect([path, pathname, (await get(pathname)).status]).toEqual([path, pathname, 200]);
    }
  }
  const { text } = await get('/llms-full.txt');
  for (const path of pages) expect(text).toContain((await get(path)).text.trim());
});

test('a page is Markdown for a client that prefers it, and HTML for any other', async () => {
  const as = async (accept: string) => {
    const { headers } = await get('/docs/errors', { Accept: accept });
    expect(headers.vary).toBe('Accept, Accept-Encoding');
    return headers['content-type'];
  };
  expect(await as('text/markdown')).toBe('text/markdown; charset=utf-8');
  expect(await as('text/markdown, text/html;q=0.9')).toBe('text/markdown; charset=utf-8');
  expect(await as('text/html,application/xhtml+xml,*/*;q=0.8')).toBe('text/html; charset=utf-8');
  expect(await as('*/*')).toBe('text/html; charset=utf-8');
  const [page, file] = [await get('/docs', { Accept: 'text/markdown' }), await get('/docs/index.md')];
  expect(page.text).toBe(file.text);
});

test('the API catalog leads to the OpenAPI document, the guides and the metadata of OAuth', async () => {
  const { headers, text } = await get('/.well-known/api-catalog');
  expect(headers['content-type']).toMatch(/^application\/linkset\+json; profile=/);
  const { linkset } = JSON.parse(text);
  const hrefs = [...JSON.stringify(linkset).matchAll(/"href":"(.*?)"/g)].map(
    ([, href = '']) => new URL(href),
  );
  expect(hrefs.length).toBeGreaterThan(3);
  for (const { origin, pathname } of hrefs) {
    expect([origin, (await get(pathname)).status]).toEqual([platform.publicUrl, 200]);
  }
});
