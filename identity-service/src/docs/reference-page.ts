import { contentSecurityPolicy } from '../web/app.ts';
import { html } from '../web/html.ts';
import { docsAssets } from './docs-assets.ts';

/** The page of the reference: a place for Swagger UI, which fills it in. */
export const reference = {
  path: '/docs/reference',
  title: 'API reference',
  summary: 'Every operation with its parameters, answers and errors, and a form to try it.',
  headings: [],
  body: html`<p class="lead">Every operation, with a form to try it. The same as a file:
          <a href="/docs/openapi.json">OpenAPI 3.1</a>.</p>
        <noscript><p class="notice wait">This page needs JavaScript. The OpenAPI document does not.</p></noscript>
        <div class="reference" id="swagger-ui"></div>`,
};

const { library, libraryStyle, reference: script, referenceStyle } = docsAssets;

export const referenceHead = html`<link rel="stylesheet" href="${libraryStyle.path}">
    <link rel="stylesheet" href="${referenceStyle.path}">
    <script src="${library.path}" defer></script>
    <script src="${script.path}" defer></script>`;

/** Swagger UI takes its icons from `data:` addresses in its stylesheet, and asks nobody but us. */
export const referencePolicy = {
  'Content-Security-Policy': contentSecurityPolicy({
    'script-src': "'self'",
    'connect-src': "'self'",
    'img-src': "'self' data:",
  }),
};
