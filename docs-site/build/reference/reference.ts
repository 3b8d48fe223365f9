import { escapeHtml } from '../html.ts';
import type { MarkdownPage } from '../llms.ts';
import { type Heading, renderBlocks } from '../render-markdown.ts';
import { type ApiDocument, anchorOf, operationsOf, webhooksOf } from './document.ts';
import { renderReferenceMarkdown } from './markdown.ts';
import { renderOperation, renderWebhook } from './operation.ts';

/** A part of the page: the operations with a tag, or the events. */
interface Group {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly members: readonly { readonly anchor: string; readonly summary: string; readonly html: string }[];
}

/** The page of the reference, from the published document without references. */
export function referencePage(document: ApiDocument): MarkdownPage {
  const groups = [...groupsOf(document), groupOfWebhooks(document)];
  return {
    path: '/docs/reference',
    title: 'API reference',
    summary: 'Every operation with its parameters, responses and errors, samples, and a form to try it.',
    headings: groups.flatMap(headingsOf),
    markdown: renderReferenceMarkdown(document),
    body: `<p class="lead">Every operation with samples that run, and a form to try it. As a document:
<a href="/docs/openapi.yaml">openapi.yaml</a>, <a href="/docs/openapi.json">openapi.json</a>.</p>
<div class="text reference">
<div class="intro">${renderBlocks(document.info.description)}
<p>Samples read the key from the environment: <code>export API_KEY='&lt;API_KEY&gt;'</code>.</p></div>
${groups.map(renderGroup).join('\n')}</div>`,
  };
}

const groupsOf = (document: ApiDocument): Group[] =>
  document.tags.map(({ name, description = '' }) => ({
    name,
    title: name,
    description,
    members: operationsOf(document)
      .filter(({ tag }) => tag === name)
      .map((operation) => ({ ...operation, html: renderOperation(operation) })),
  }));

const groupOfWebhooks = (document: ApiDocument): Group => ({
  name: 'webhooks',
  title: 'Webhooks',
  description:
    'What the platform sends to your URL: the same bytes as in `GET /v2/events`. Any status from 200 to 299 says that you have it. [Guide](https://api.example.com/docs/webhooks)',
  members: webhooksOf(document).map((webhook) => ({
    anchor: webhook.anchor,
    summary: webhook.path,
    html: renderWebhook(webhook),
  })),
});

const headingsOf = ({ name, title, members }: Group): Heading[] => [
  { depth: 2, id: anchorOf(name), label: escapeHtml(title) },
  ...members.map(({ anchor, summary }) => ({ depth: 3, id: anchor, label: breakable(summary) })),
];

/** The name of an event may break in the narrow navigation. */
const breakable = (text: string) => escapeHtml(text).replaceAll('_', '_<wbr>');

function renderGroup({ name, title, description, members }: Group): string {
  const id = anchorOf(name);
  return `<h2 id="${id}"><a class="anchor" href="#${id}">${escapeHtml(title)}</a></h2>
${renderBlocks(description)}
${members.map(({ html }) => html).join('')}`;
}
