import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { readApi } from '@platform/service-kit/api/api.ts';
import { readDocs } from './docs.ts';

const directory = mkdtempSync(join(tmpdir(), 'docs-'));
afterAll(() => rmSync(directory, { recursive: true }));

const files = {
  'pages/index.html': '<a href="https://api.example.com/v2/order">orders</a> support@api.example.com',
  'pages/errors.html': 'errors',
  'pages/errors.md': '# Errors at https://api.example.com',
  'pages/reference.html': 'reference',
  'pages/not-found.html': 'no page',
  'openapi.json': '{"servers":[{"url":"https://api.example.com"}]}',
  'openapi.yaml': 'servers: [{ url: https://api.example.com }]',
  'llms.txt': '- https://api.example.com/docs/errors.md',
  'llms-full.txt': '# Errors',
  'changes.atom': '<id>https://api.example.com/docs/changes.atom</id>',
  'assets/style-1.css': 'plain',
  'assets/style-1.css.br': 'by brotli',
  'assets/style-1.css.gz': 'by gzip',
  'stamp.json': '{}',
};
for (const folder of ['pages', 'assets']) mkdirSync(join(directory, folder));
for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);

const api = readApi();
const docs = await readDocs({
  directory,
  api,
  publicUrl: 'https://api.acme.test',
  supportEmail: 'help@acme.test',
  securityContact: 'mailto:security@acme.test',
});
const textOf = (path: string) => docs.files.get(path)?.content.toString();
const headersOf = (path: string) => docs.files.get(path)?.headers ?? {};

test('only pages, documents and assets have a path', () => {
  expect([...docs.files.keys()].toSorted()).toEqual([
    '/.well-known/api-catalog',
    '/.well-known/security.txt',
    '/docs',
    '/docs/assets/style-1.css',
    '/docs/changes.atom',
    '/docs/errors',
    '/docs/errors.md',
    '/docs/openapi.json',
    '/docs/openapi.yaml',
    '/docs/reference',
    '/llms-full.txt',
    '/llms.txt',
    '/robots.txt',
  ]);
  expect(docs.notFound?.content.toString()).toBe('no page');
});

test('pages and documents name the public URL, compressed too', async () => {
  expect(textOf('/docs')).toBe('<a href="https://api.acme.test/v2/order">orders</a> help@acme.test');
  expect(textOf('/docs/openapi.yaml')).toBe('servers: [{ url: https://api.acme.test }]');
  expect(textOf('/docs/changes.atom')).toBe('<id>https://api.acme.test/docs/changes.atom</id>');
  const packed = await docs.files.get('/docs/openapi.json')?.encode('br');
  expect(brotliDecompressSync(packed ?? '').toString()).toBe('{"servers":[{"url":"https://api.acme.test"}]}');
});

test('assets are sent as they were compressed in advance, and cached for good', async () => {
  const asset = docs.files.get('/docs/assets/style-1.css');
  expect([await asset?.encode('br'), await asset?.encode('gzip')].map(String)).toEqual([
    'by brotli',
    'by gzip',
  ]);
  expect(asset?.headers['Cache-Control']).toBe('public, max-age=31536000, immutable');
});

test('pages run scripts of the platform and no others, and request only from it', () => {
  for (const path of ['/docs/reference', '/docs/errors']) {
    const policy = headersOf(path)['Content-Security-Policy'];
    expect(policy).toContain("script-src 'self'; connect-src 'self'");
    expect(policy).not.toMatch(/unsafe|data:/);
  }
  expect(headersOf('/docs/errors.md')['Content-Security-Policy']).not.toContain('script-src');
});

test('Markdown, llms.txt and the API catalog name the public URL and their types', () => {
  expect(textOf('/docs/errors.md')).toBe('# Errors at https://api.acme.test');
  expect(headersOf('/docs/errors.md')['Content-Type']).toBe('text/markdown; charset=utf-8');
  expect(docs.markdown.get('/docs/errors')?.content.toString()).toBe('# Errors at https://api.acme.test');
  expect([docs.markdown.get('/docs/errors')?.headers.Vary, headersOf('/docs/errors').Vary]).toEqual([
    'Accept, Accept-Encoding',
    'Accept, Accept-Encoding',
  ]);
  expect(textOf('/llms.txt')).toBe('- https://api.acme.test/docs/errors.md');
  expect(headersOf('/.well-known/api-catalog')).toMatchObject({
    'Content-Type': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    Link: '</.well-known/api-catalog>; rel="api-catalog"',
  });
  const { linkset } = JSON.parse(textOf('/.well-known/api-catalog') ?? '');
  expect(linkset[0]).toMatchObject({
    anchor: 'https://api.acme.test/v2',
    'service-desc': [{ href: 'https://api.acme.test/docs/openapi.json' }, { type: 'application/yaml' }],
    'service-doc': [{ href: 'https://api.acme.test/docs' }, { href: 'https://api.acme.test/llms.txt' }],
  });
});

test('a platform under https sends HSTS', async () => {
  expect(headersOf('/docs')['strict-transport-security']).toBe('max-age=31536000');
  const plain = await readDocs({ directory, api, publicUrl: 'http://127.0.0.1:8080' });
  expect(plain.files.get('/docs')?.headers['strict-transport-security']).toBeUndefined();
});

test('robots.txt admits crawlers to the documentation only, and security.txt has the address for reports', () => {
  expect(textOf('/robots.txt')).toBe(
    'User-agent: *\nAllow: /docs\nAllow: /llms\nAllow: /.well-known/api-catalog\nDisallow: /\n',
  );
  const text = textOf('/.well-known/security.txt') ?? '';
  expect(text).toMatch(/^Contact: mailto:security@acme\.test\nExpires: \S+\n$/);
  expect(Date.parse(/Expires: (\S+)/.exec(text)?.[1] ?? '')).toBeGreaterThan(Date.now());
  expect(headersOf('/robots.txt')['Content-Type']).toBe('text/plain; charset=utf-8');
});

test('documents of the operator are part of the documentation, which is then rendered at the start', async () => {
  const own = readApi(fileURLToPath(new URL('../../examples/own-api/api', import.meta.url)));
  const { files } = await readDocs({ directory, api: own, publicUrl: 'https://api.acme.test' });
  const rendered = (path: string) => files.get(path)?.content.toString() ?? '';
  expect(rendered('/docs/reference')).toContain('id="/Invoices/createInvoice"');
  expect(rendered('/docs/openapi.json')).toContain('"https://api.acme.test/v2/oauth/token"');
  for (const path of ['/docs/reference.md', '/llms-full.txt', '/docs/openapi.yaml'])
    expect(rendered(path)).toContain('/v2/invoices');
  const [index = ''] = [...files.keys()].filter((path) => /search-\w+\.json$/.test(path));
  expect(rendered(index)).toContain('createInvoice');
  expect(brotliDecompressSync((await files.get(index)?.encode('br')) ?? '').toString()).toBe(rendered(index));
});

test('no documentation is served without a build', async () => {
  const { files, notFound } = await readDocs({ directory: join(directory, 'nowhere'), api });
  expect([[...files.keys()], notFound]).toEqual([['/robots.txt'], undefined]);
});
