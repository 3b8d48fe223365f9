import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readChanges, renderFeed } from './feed.ts';
import { renderGuides } from './guides.ts';
import { type MarkdownPage, renderLinks, renderLlmsFull, renderLlmsIndex } from './llms.ts';
import { type DocsPage, renderCards, renderPage } from './page.ts';
import { renderReferenceMarkdown } from './reference-markdown.ts';

/** A file of the built site: its path in `dist/`. */
type SiteFiles = Map<string, Buffer>;

const read = (path: string | URL) => readFileSync(new URL(path, new URL('../', import.meta.url)));

const readLibrary = (file: string) => read(import.meta.resolve(`swagger-ui-dist/${file}`));

const concatStyles = (directory: string, parts: readonly string[]) =>
  Buffer.concat(parts.map((part) => read(`${directory}/${part}.css`)));

/** The pages of identity-service begin with the same. */
const sharedStyles = concatStyles('../service-kit/src/styles', ['colours', 'base']);

/** Paths of the files that pages load. A digest of the content is in the name, so browsers keep them. */
interface Assets {
  readonly style: string;
  readonly icon: string;
  readonly library: string;
  readonly libraryStyle: string;
  readonly reference: string;
  readonly referenceStyle: string;
}

function addAssets(files: SiteFiles): Assets {
  const add = (name: string, type: string, content: Buffer) => {
    const digest = createHash('sha256').update(content).digest('hex').slice(0, 16);
    files.set(`assets/${name}-${digest}.${type}`, content);
    return `/docs/assets/${name}-${digest}.${type}`;
  };
  const referenceStyles = ['frame', 'text', 'operations', 'responses', 'forms', 'schemas', 'phone'];
  return {
    style: add(
      'docs',
      'css',
      Buffer.concat([sharedStyles, concatStyles('styles', ['base', 'frame', 'text', 'phone'])]),
    ),
    icon: add('icon', 'svg', read('icon.svg')),
    library: add('swagger-ui', 'js', readLibrary('swagger-ui-bundle.js')),
    libraryStyle: add('swagger-ui', 'css', readLibrary('swagger-ui.css')),
    reference: add('reference', 'js', read('reference/reference.js')),
    referenceStyle: add('reference', 'css', concatStyles('reference', referenceStyles)),
  };
}

const referencePage = (
  { library, libraryStyle, reference, referenceStyle }: Assets,
  markdown: string,
): MarkdownPage => ({
  path: '/docs/reference',
  title: 'API reference',
  summary: 'Every operation with its parameters, responses and errors, and a form to try it.',
  headings: [],
  markdown,
  body: `<p class="lead">Every operation, with a form to try it. The same document as a file:
          <a href="/docs/openapi.yaml">openapi.yaml</a>, <a href="/docs/openapi.json">openapi.json</a>.</p>
        <noscript><p class="notice">This page needs JavaScript. The OpenAPI document does not.</p></noscript>
        <div class="reference" id="swagger-ui"></div>`,
  styles: [libraryStyle, referenceStyle],
  scripts: [library, reference],
});

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
 * @throws when openapi.yaml cannot be parsed, or a guide has no title or a heading twice
 */
export function renderSite(): SiteFiles {
  const files: SiteFiles = new Map();
  const assets = addAssets(files);
  const { index, chapters } = renderGuides();
  const yaml = read('openapi.yaml');
  const document = parse(yaml.toString('utf8'));
  const reference = referencePage(assets, renderReferenceMarkdown(document));
  const frame = {
    places: [{ ...index, title: 'Overview' }, ...chapters, reference],
    stylePath: assets.style,
    iconPath: assets.icon,
  };
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

  files.set('openapi.yaml', yaml);
  files.set('openapi.json', Buffer.from(JSON.stringify(document)));
  files.set('llms.txt', Buffer.from(renderLlmsIndex([overview, ...rest])));
  files.set('llms-full.txt', Buffer.from(renderLlmsFull([overview, ...rest])));
  const changes = readChanges(read('guides/versions.md').toString('utf8'));
  files.set('changes.atom', Buffer.from(renderFeed(changes)));
  return files;
}
