import { escapeHtml } from './html.ts';
import type { Heading } from './render-markdown.ts';

/** A page of the documentation. */
export interface DocsPage {
  readonly path: string;
  readonly title: string;
  /** One sentence: what a reader gets from it. */
  readonly summary: string;
  /** Those that the navigation shows below its title. */
  readonly headings: readonly Heading[];
  /** HTML of the content below the title. */
  readonly body: string;
  /** The whole page as Markdown; absent for a page that is not one to read. */
  readonly markdown?: string;
}

/** Link in the navigation. */
export interface Place {
  readonly path: string;
  readonly title: string;
}

interface Frame {
  /** Every page, in the order of the navigation. */
  readonly places: readonly Place[];
  readonly assets: Assets;
}

/** Paths of the files that pages load. */
export interface Assets {
  readonly style: string;
  readonly icon: string;
  /** Modules that every page runs. */
  readonly scripts: readonly string[];
  /** Loaded when the search is first used. */
  readonly search: { readonly library: string; readonly index: string };
}

/** Path of a page as Markdown. */
export function markdownPath(path: string): string {
  return path === '/docs' ? '/docs/index.md' : `${path}.md`;
}

/** The whole document: navigation at the side, content beside it. */
export function renderPage(page: DocsPage, { places, assets }: Frame): string {
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(page.title)} · Business API</title>`,
    `<meta name="description" content="${escapeHtml(page.summary)}">`,
    '<link rel="alternate" type="application/atom+xml" title="Changes" href="/docs/changes.atom">',
    ...(page.markdown === undefined
      ? []
      : [`<link rel="alternate" type="text/markdown" href="${markdownPath(page.path)}">`]),
    `<link rel="icon" type="image/svg+xml" href="${assets.icon}">`,
    `<link rel="stylesheet" href="${assets.style}">`,
    ...assets.scripts.map((path) => `<script type="module" src="${path}"></script>`),
  ];
  return `<!doctype html>
<html lang="en">
  <head>
    ${head.join('\n    ')}
  </head>
  <body class="docs">
    <a class="skip" href="#content">Skip to the content</a>
    <header class="top">
      <a class="brand" href="/docs"><img src="${assets.icon}" alt="" width="26" height="26">Business API <span class="badge">Docs</span></a>
      ${renderSearch(assets.search)}
      <nav aria-label="Site"><a class="pages" href="#pages">Pages</a><a href="/dashboard">Dashboard</a></nav>
    </header>
    <div class="columns">
      <nav class="side" id="pages" aria-label="Documentation" tabindex="-1">
        <ul class="places">${places.map((place) => renderPlace(place, page)).join('')}</ul>
      </nav>
      <main id="content" tabindex="-1">
        <h1>${escapeHtml(page.title)}</h1>
        ${page.body}
      </main>
    </div>
  </body>
</html>
`;
}

/** Hidden by the stylesheet where no script runs. */
const renderSearch = ({ library, index }: Assets['search']) =>
  `<search class="search" data-library="${library}" data-index="${index}">
        <input type="search" aria-label="Search the documentation" aria-controls="hits" placeholder="Search" autocomplete="off" spellcheck="false">
        <div class="hits" id="hits" hidden></div>
        <p class="count" role="status"></p>
      </search>`;

function renderPlace({ path, title }: Place, page: DocsPage): string {
  const link = `<a class="place" href="${path}"`;
  if (path !== page.path) return `<li>${link}>${escapeHtml(title)}</a></li>`;
  const sections = page.headings.map(renderSection);
  const list = sections.length > 0 ? `<ul class="sections">${sections.join('')}</ul>` : '';
  return `<li>${link} aria-current="page">${escapeHtml(title)}</a>${list}</li>`;
}

function renderSection({ depth, id, label }: Heading): string {
  return `<li><a class="section${depth > 2 ? ' inner' : ''}" href="#${id}">${label}</a></li>`;
}

/** Cards that lead to pages. */
export function renderCards(pages: readonly (Place & { readonly summary: string })[]): string {
  const cards = pages.map(
    ({ path, title, summary }) =>
      `<li><a class="card" href="${path}"><strong>${escapeHtml(title)}</strong> ${escapeHtml(summary)}</a></li>`,
  );
  return `<ul class="cards">${cards.join('')}</ul>`;
}
