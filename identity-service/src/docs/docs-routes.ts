import type { Router } from 'express';
import { exactRouter } from '../web/app.ts';
import { serveAssets, serveContent, serveGenerated } from '../web/assets.ts';
import { type Html, html, ownMarkup } from '../web/html.ts';
import { docsAssets } from './docs-assets.ts';
import { type Place, renderDocsPage } from './docs-page.ts';
import { type Guide, renderGuides } from './guides.ts';
import { reference, referenceHead, referencePolicy } from './reference-page.ts';

/**
 * The documentation for integrators: guides, reference, OpenAPI document. Each is made once, for nothing in it depends on
 * who is asking.
 * @param publicUrl origin under which everybody knows the platform
 */
export function docsRoutes(publicUrl: string): Router {
  const router = exactRouter();
  const { index, chapters } = renderGuides(publicUrl);
  const places: readonly Place[] = [{ ...index, title: 'Overview' }, ...chapters, reference];
  const get = (path: string, page: string, headers = {}) =>
    router.get(path, serveContent({ type: 'html', content: Buffer.from(page), headers }));

  const cards = cardsHtml([...chapters, reference]);
  get(index.path, renderDocsPage({ ...index, head: style, body: html`${guideBody(index)}${cards}` }, places));
  for (const guide of chapters) {
    get(guide.path, renderDocsPage({ ...guide, head: style, body: guideBody(guide) }, places));
  }
  get(
    reference.path,
    renderDocsPage({ ...reference, head: html`${style}${referenceHead}` }, places),
    referencePolicy,
  );
  router.get(
    '/docs/openapi.json',
    serveGenerated(async () => {
      const { openApiDocument } = await import('./openapi/document.ts');
      return { type: 'json', content: Buffer.from(JSON.stringify(openApiDocument(publicUrl))) };
    }),
  );
  return serveAssets(router, Object.values(docsAssets));
}

const style = html`<link rel="stylesheet" href="${docsAssets.style.path}">`;

function guideBody(guide: Guide): Html {
  return html`<p class="lead">${guide.summary}</p>
        <div class="text">${ownMarkup(guide.html)}</div>`;
}

function cardsHtml(pages: readonly (Place & { readonly summary: string })[]): Html {
  return html`<ul class="cards">${pages.map(
    ({ path, title, summary }) =>
      html`<li><a class="card" href="${path}"><strong>${title}</strong> ${summary}</a></li>`,
  )}</ul>`;
}
