import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { Api } from '@platform/service-kit/api/api.ts';
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
  /** API of the installation. */
  readonly api: Api;
  /** Origin that takes the place of `https://api.example.com` in pages and documents. */
  readonly publicUrl?: string | undefined;
  /** Takes the place of `support@api.example.com`. */
  readonly supportEmail?: string | undefined;
  /** `mailto:` or `https:` URL for reports of vulnerabilities. */
  readonly securityContact?: string | undefined;
}

/** The files of the site by their paths in `dist`. */
type Site = ReadonlyMap<string, Buffer>;

/** Paths of the files beside the pages. */
const documents: Readonly<Record<string, string>> = {
  'openapi.json': '/docs/openapi.json',
  'openapi.yaml': '/docs/openapi.yaml',
  'changes.atom': '/docs/changes.atom',
  'llms.txt': '/llms.txt',
  'llms-full.txt': '/llms-full.txt',
};

interface PublicNames {
  readonly publicUrl: string;
  readonly supportEmail: string;
}

/** The documentation of the platform, rendered here where the API has documents of the operator's. @throws when it cannot be read */
export async function readDocs(options: DocsOptions): Promise<Docs> {
  const { publicUrl = placeholder, securityContact } = options;
  const files = new Map<string, StaticFile>();
  const addText = (path: string, text: string) =>
    files.set(
      path,
      staticFile({ name: path, content: Buffer.from(text), headers: { 'Cache-Control': 'max-age=86400' } }),
    );
  addText('/robots.txt', robots);
  if (securityContact !== undefined) addText('/.well-known/security.txt', securityText(securityContact));
  const site = await siteOf(options);
  if (site.size === 0) return { files, markdown: new Map(), notFound: undefined };
  const supportEmail = options.supportEmail ?? defaultSupportEmail(publicUrl);
  return addSite(site, files, { publicUrl, supportEmail });
}

async function siteOf({ directory, api }: DocsOptions): Promise<Site> {
  if (api.documents.every(({ isPlatform }) => isPlatform)) return readBuilt(directory);
  const { renderSite } = await import('@platform/docs-site');
  return renderSite(api);
}

/** Empty where nothing is built. */
function readBuilt(directory: string): Site {
  if (!existsSync(directory)) return new Map();
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const paths = names.filter((name) => extname(name) !== '');
  return new Map(paths.map((path) => [path, readFileSync(join(directory, path))]));
}

/** Adds every file of the site; pages and documents with the address of the platform. */
function addSite(site: Site, files: Map<string, StaticFile>, names: PublicNames): Docs {
  const markdown = new Map<string, StaticFile>();
  const security = securityHeaders(names.publicUrl);
  const addressed = (name: string, content: Buffer, headers: Readonly<Record<string, string>> = {}) =>
    staticFile({
      name,
      content: withNames(content, names),
      headers: { ...security, 'Cache-Control': 'no-cache', ...headers },
    });
  const addPage = (name: string, content: Buffer) => {
    const page = name.replace(/\.\w+$/, '');
    const path = page === 'index' ? '/docs' : `/docs/${page}`;
    if (name.endsWith('.html')) return files.set(path, addressed(name, content, htmlHeaders));
    markdown.set(path, addressed(name, content, byAccept));
    return files.set(`/docs/${name}`, addressed(name, content));
  };
  const addAsset = (name: string, content: Buffer) => {
    if (/\.(br|gz)$/.test(name)) return;
    const [br, gzip] = [site.get(`assets/${name}.br`), site.get(`assets/${name}.gz`)];
    const encoded = { ...(br && { br }), ...(gzip && { gzip }) };
    files.set(
      `/docs/assets/${name}`,
      staticFile({ name, content, encoded, headers: { ...security, ...immutable } }),
    );
  };
  for (const [path, content] of site) {
    const name = basename(path);
    const document = documents[name];
    if (path.startsWith('pages/')) addPage(name, content);
    else if (path.startsWith('assets/')) addAsset(name, content);
    else if (document !== undefined) files.set(document, addressed(name, content));
  }
  files.set(catalogPath, addressed('catalog.json', Buffer.from(JSON.stringify(catalog)), catalogHeaders));
  const notFound = files.get('/docs/not-found');
  files.delete('/docs/not-found');
  return { files, markdown, notFound };
}

/** How the platform is named in the built files, replaced. */
function withNames(content: Buffer, { publicUrl, supportEmail }: PublicNames): Buffer {
  const text = content.toString('utf8').replaceAll(placeholder, publicUrl);
  return Buffer.from(text.replaceAll(supportPlaceholder, supportEmail));
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
