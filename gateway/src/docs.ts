import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentSecurityPolicy, securityHeaders } from '@platform/service-kit/http/security-headers.ts';
import {
  immutable,
  respondWithFile,
  type StaticFile,
  staticFile,
} from '@platform/service-kit/http/static.ts';
import { defaultSupportEmail } from '@platform/service-kit/values/addresses.ts';
import type { Request, RequestHandler } from 'express';
import { redirectSlash } from './edge/routing.ts';

/** The documentation at /docs: files in memory, so that no service and no disk is needed to serve it. */
export interface Docs {
  /** By path of the URL; empty where nothing is built. */
  readonly files: ReadonlyMap<string, StaticFile>;
  /** Markdown of pages, by the path of the page. */
  readonly markdown: ReadonlyMap<string, StaticFile>;
  readonly notFound: StaticFile | undefined;
}

/** Origin of the platform in the built files. */
const placeholder = 'https://api.example.com';

/** Address for questions in the built files. */
const supportPlaceholder = 'support@api.example.com';

/** Scripts of the pages load the index of the search, and send the requests of the reference. */
const pagePolicy = contentSecurityPolicy({ 'script-src': "'self'", 'connect-src': "'self'" });

/** robots.txt: crawlers may read the documentation and nothing else. */
const robots = 'User-agent: *\nAllow: /docs\nAllow: /llms\nAllow: /.well-known/api-catalog\nDisallow: /\n';

/** Headers of a page that is HTML or Markdown. */
const byAccept = { Vary: 'Accept, Accept-Encoding' };

const htmlHeaders = { ...byAccept, 'Content-Security-Policy': pagePolicy };

const catalogPath = '/.well-known/api-catalog';

/** Where programs find the API's document, its guides and the metadata of OAuth (RFC 9727, RFC 9264). */
const catalog = {
  linkset: [
    {
      anchor: `${placeholder}/v2`,
      'service-desc': [
        { href: `${placeholder}/docs/openapi.json`, type: 'application/json' },
        { href: `${placeholder}/docs/openapi.yaml`, type: 'application/yaml' },
      ],
      'service-doc': [
        { href: `${placeholder}/docs`, type: 'text/html' },
        { href: `${placeholder}/llms.txt`, type: 'text/plain' },
      ],
      'service-meta': [
        { href: `${placeholder}/.well-known/oauth-authorization-server`, type: 'application/json' },
      ],
    },
  ],
};

const catalogHeaders = {
  'Content-Type': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  Link: `<${catalogPath}>; rel="api-catalog"`,
};

/** Lifetime of security.txt from the start of the gateway: less than a year, as RFC 9116 recommends. */
const validMs = 360 * 24 * 3_600_000;

/** security.txt (RFC 9116). */
const securityText = (contact: string) =>
  `Contact: ${contact}\nExpires: ${new Date(Date.now() + validMs).toISOString()}\n`;

interface DocsOptions {
  /** Of the built documentation. */
  readonly directory: string;
  /** Origin that takes the place of `https://api.example.com` in pages and documents. */
  readonly publicUrl?: string | undefined;
  /** Takes the place of `support@api.example.com`. */
  readonly supportEmail?: string | undefined;
  /** `mailto:` or `https:` URL for reports of vulnerabilities. */
  readonly securityContact?: string | undefined;
}

/** Reads the built documentation. @throws when a file cannot be read */
export function readDocs({
  directory,
  publicUrl = placeholder,
  supportEmail = defaultSupportEmail(publicUrl),
  securityContact,
}: DocsOptions): Docs {
  const files = new Map<string, StaticFile>();
  const markdown = new Map<string, StaticFile>();
  const addText = (path: string, text: string) =>
    files.set(
      path,
      staticFile({ name: path, content: Buffer.from(text), headers: { 'Cache-Control': 'max-age=86400' } }),
    );
  addText('/robots.txt', robots);
  if (securityContact !== undefined) addText('/.well-known/security.txt', securityText(securityContact));
  if (!existsSync(directory)) return { files, markdown, notFound: undefined };
  const read = (...path: string[]) => readFileSync(join(directory, ...path));
  const security = securityHeaders(publicUrl);
  const addressed = (name: string, content: Buffer, headers: Readonly<Record<string, string>> = {}) =>
    staticFile({
      name,
      content: Buffer.from(
        content
          .toString('utf8')
          .replaceAll(placeholder, publicUrl)
          .replaceAll(supportPlaceholder, supportEmail),
      ),
      headers: { ...security, 'Cache-Control': 'no-cache', ...headers },
    });

  for (const name of readdirSync(join(directory, 'pages'))) {
    const page = name.replace(/\.(html|md)$/, '');
    const path = page === 'index' ? '/docs' : `/docs/${page}`;
    if (name.endsWith('.md')) {
      markdown.set(path, addressed(name, read('pages', name), byAccept));
      files.set(`/docs/${name}`, addressed(name, read('pages', name)));
      continue;
    }
    files.set(path, addressed(name, read('pages', name), htmlHeaders));
  }
  for (const name of ['openapi.json', 'openapi.yaml', 'changes.atom'])
    files.set(`/docs/${name}`, addressed(name, read(name)));
  for (const name of ['llms.txt', 'llms-full.txt']) files.set(`/${name}`, addressed(name, read(name)));
  files.set(catalogPath, addressed('catalog.json', Buffer.from(JSON.stringify(catalog)), catalogHeaders));
  for (const name of readdirSync(join(directory, 'assets'))) {
    if (/\.(br|gz)$/.test(name)) continue;
    const encoded = { br: read('assets', `${name}.br`), gzip: read('assets', `${name}.gz`) };
    const headers = { ...security, ...immutable };
    files.set(`/docs/assets/${name}`, staticFile({ name, content: read('assets', name), encoded, headers }));
  }
  const notFound = files.get('/docs/not-found');
  files.delete('/docs/not-found');
  return { files, markdown, notFound };
}

const notBuilt = Buffer.from('The documentation is not built: npm run build makes it.\n');

const plainHeaders = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };

/** The Markdown of a page for a client that prefers that to HTML. */
function preferredMarkdown({ markdown }: Docs, req: Request): StaticFile | undefined {
  const page = markdown.get(req.exchange.path);
  return page && req.accepts(['text/html', 'text/markdown']) === 'text/markdown' ? page : undefined;
}

/** Serves /docs and everything below without a credential. It is the last step: requests to services never reach it. */
export function serveDocs(docs: Docs): RequestHandler {
  const { files, notFound } = docs;
  return async (req) => {
    const { exchange } = req;
    const file = preferredMarkdown(docs, req) ?? files.get(exchange.path);
    if (file !== undefined) {
      const { status, headers, body } = await respondWithFile(file, req);
      return exchange.respond(status, headers, body);
    }
    if (files.has(exchange.path.replace(/\/$/, ''))) return redirectSlash(req);
    if (notFound === undefined) return exchange.respond(503, plainHeaders, notBuilt);
    const { ETag: _etag, ...headers } = notFound.headers;
    const { content } = notFound;
    const length = { 'Content-Length': content.length, 'Cache-Control': 'no-store' };
    exchange.respond(404, { ...headers, ...length }, content);
  };
}
