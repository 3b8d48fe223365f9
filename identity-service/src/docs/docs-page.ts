import { type Html, html, ownMarkup } from '../web/html.ts';
import { renderDocument } from '../web/pages.ts';
import type { Heading } from './render-markdown.ts';

/** A page of the documentation. */
export interface DocsPage {
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  readonly headings: readonly Heading[];
  readonly body: Html;
  /** What follows in the head. */
  readonly head: Html;
}

/** A place in the side navigation. */
export interface Place {
  readonly path: string;
  readonly title: string;
}

/** The whole document: the way to the other pages at the side, the text beside it. */
export function renderDocsPage(page: DocsPage, places: readonly Place[]): string {
  return renderDocument({
    title: page.title,
    head: html`<meta name="description" content="${page.summary}">
    ${page.head}`,
    body: html`<body class="docs">
    <a class="skip" href="#content">Skip to the content</a>
    <header class="top">
      <a class="brand" href="/docs">Business API <span class="badge">Docs</span></a>
      <nav aria-label="Site"><a href="/dashboard">Dashboard</a></nav>
    </header>
    <div class="columns">
      <nav class="side" aria-label="Documentation">
        <ul class="places">${places.map((place) => placeHtml(place, page))}</ul>
      </nav>
      <main id="content" tabindex="-1">
        <h1>${page.title}</h1>
        ${page.body}
      </main>
    </div>
  </body>`,
  });
}

function placeHtml({ path, title }: Place, page: DocsPage): Html {
  if (path !== page.path) return html`<li><a class="place" href="${path}">${title}</a></li>`;
  const sections = page.headings.filter(({ depth }) => depth === 2);
  return html`<li><a class="place" href="${path}" aria-current="page">${title}</a>
          ${sections.length > 0 && html`<ul class="sections">${sections.map(sectionHtml)}</ul>`}</li>`;
}

function sectionHtml({ id, label }: Heading): Html {
  return html`<li><a class="section" href="#${id}">${ownMarkup(label)}</a></li>`;
}
