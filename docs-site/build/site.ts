import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Api } from '@platform/service-kit/api/api.ts';
import { readChanges, renderFeed } from './feed.ts';
import { renderGuides } from './guides.ts';
import { renderLinks, renderLlmsFull, renderLlmsIndex } from './llms.ts';
import { type Assets, type DocsPage, renderCards, renderPage } from './page.ts';
import { publishedDocument, publishedYaml } from './published/document.ts';
import { dereference } from './reference/document.ts';
import { referencePage } from './reference/reference.ts';
import { renderSearchIndex } from './search-index.ts';

/** The files of the site by their paths in `dist/`. */
export type SiteFiles = Map<string, Buffer>;

const read = (path: string | URL) => readFileSync(new URL(path, new URL('../', import.meta.url)));

const concatStyles = (directory: string, parts: readonly string[]) =>
  Buffer.concat(parts.map((part) => read(`${directory}/${part}.css`)));

/** The pages of identity-service begin with the same. */
const sharedStyles = concatStyles('../service-kit/src/styles', ['colours', 'base']);

const styles = ['base', 'frame', 'text', 'code', 'tabs', 'search', 'reference', 'try', 'phone', 'print'];

const scripts = ['tabs', 'copy', 'search', 'try'];

/** Adds what pages load. A digest of the content is in the name, so browsers keep it. */
function addAssets(files: SiteFiles, pages: readonly DocsPage[]): Assets {
  const add = (name: string, type: string, content: Buffer) => {
    const digest = createHash('sha256').update(content).digest('hex').slice(0, 16);
    files.set(`assets/${name}-${digest}.${type}`, content);
    return `/docs/assets/${name}-${digest}.${type}`;
  };
  return {
    style: add('docs', 'css', Buffer.concat([sharedStyles, concatStyles('styles', styles)])),
    icon: add('icon', 'svg', read('icon.svg')),
    scripts: scripts.map((name) => add(name, 'js', read(`scripts/${name}.js`))),
    search: {
      library: add('minisearch', 'js', read(import.meta.resolve('minisearch'))),
      index: add('search', 'json', Buffer.from(renderSearchIndex(pages))),
    },
  };
}

const notFound: DocsPage = {
  path: '',
  title: 'Page not found',
  summary: 'This address has no page.',
  headings: [],
  body: '<p class="lead">This address has no page. The navigation lists every page.</p>',
};

/**
 * Every file of the site. Pages and documents name the platform `https://api.example.com`; the gateway replaces that by its
 * public URL.
 * @throws when a reference of a document leads nowhere, or a guide has no title or a heading twice
 */
export function renderSite(api: Api): SiteFiles {
  const files: SiteFiles = new Map();
  const { index, chapters } = renderGuides();
  const document = publishedDocument(api);
  const reference = referencePage(dereference(document));
  const places = [{ ...index, title: 'Overview' }, ...chapters, reference];
  const frame = { places, assets: addAssets(files, places) };
  const add = (name: string, page: DocsPage) => {
    files.set(`pages/${name}.html`, Buffer.from(renderPage(page, frame)));
    if (page.markdown !== undefined) files.set(`pages/${name}.md`, Buffer.from(page.markdown));
  };

  const rest = [...chapters, reference];
  const overview = {
    ...index,
    body: index.body + renderCards(rest),
    markdown: `${index.markdown}\n${renderLinks(rest)}\n`,
  };
  add('index', overview);
  for (const page of rest) add(page.path.replace('/docs/', ''), page);
  add('not-found', notFound);

  files.set('openapi.yaml', Buffer.from(publishedYaml(api, document)));
  files.set('openapi.json', Buffer.from(JSON.stringify(document)));
  files.set('llms.txt', Buffer.from(renderLlmsIndex([overview, ...rest])));
  files.set('llms-full.txt', Buffer.from(renderLlmsFull([overview, ...rest])));
  const changes = readChanges(read('guides/versions.md').toString('utf8'));
  files.set('changes.atom', Buffer.from(renderFeed(changes)));
  return files;
}
