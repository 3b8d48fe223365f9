import { readFileSync } from 'node:fs';
import type { MarkdownPage } from './llms.ts';
import { renderMarkdown } from './render-markdown.ts';

const index = {
  name: 'index',
  summary: 'Read and change the data of a business from a program, with an API key or OAuth 2.0.',
};

/** Files in `guides/`, in the order of the navigation. */
const chapters = [
  {
    name: 'first-call',
    summary: 'From an API key to an order that you have created and marked as paid, with curl.',
  },
  {
    name: 'sandbox',
    summary: 'A business for tests: verified at once, with invented orders, apart from every real one.',
  },
  {
    name: 'oauth',
    summary: 'Act for a business that has approved your application: authorization code and PKCE.',
  },
  {
    name: 'connect',
    summary: 'Programs that connect, refresh and revoke with OAuth 2.0 libraries of JavaScript and Python.',
  },
  { name: 'events', summary: 'Every type of event, what it contains, and when it happens.' },
  {
    name: 'webhooks',
    summary:
      'Verify, deduplicate and order the events that the platform sends to your URL, with receivers to copy.',
  },
  {
    name: 'reconcile',
    summary: 'Read events in order and without gaps, wait for the next one, and catch up after an outage.',
  },
  {
    name: 'erasure',
    summary: 'Remove a person from orders, events and deliveries, for one who asks you to.',
  },
  {
    name: 'client',
    summary: 'A package for TypeScript: typed requests, OAuth 2.0, webhooks, and events without gaps.',
  },
  {
    name: 'cli',
    summary: 'A program for the terminal: try requests, follow events, and receive webhooks on your machine.',
  },
  {
    name: 'browser',
    summary: 'Call the API from a web page: allowed origins, readable headers, what stays on the server.',
  },
  { name: 'errors', summary: 'Every error with its response, its cause and what to do.' },
  { name: 'limits', summary: 'Requests per rolling hour, the headers that count them, and 429.' },
  { name: 'key-hygiene', summary: 'Store keys, rotate them without an outage, and respond to a leak.' },
  {
    name: 'roles',
    summary: 'What viewers, developers and owners of a business may do, and how that changes.',
  },
  {
    name: 'promises',
    summary: 'How the platform keeps its promises, measured and signed, and how to verify the signature.',
  },
  { name: 'versions', summary: 'What /v2 promises, how a deprecation is announced, and what has changed.' },
] as const;

export interface Guides {
  readonly index: MarkdownPage;
  readonly chapters: readonly MarkdownPage[];
}

/** Reads and renders every guide. @throws when one has no title */
export function renderGuides(): Guides {
  return {
    index: renderGuide(index, '/docs'),
    chapters: chapters.map((chapter) => renderGuide(chapter, `/docs/${chapter.name}`)),
  };
}

function renderGuide(
  { name, summary }: (typeof chapters)[number] | typeof index,
  path: string,
): MarkdownPage {
  const file = readFileSync(new URL(`../guides/${name}.md`, import.meta.url), 'utf8');
  const [, title, text] = /^# ([^\n]+)\n(.*)$/s.exec(file) ?? [];
  if (title === undefined || text === undefined) throw new Error(`the guide ${name} has no title`);
  const { html, headings } = renderMarkdown(text);
  return {
    path,
    title,
    summary,
    headings: headings.filter(({ depth }) => depth === 2),
    markdown: file,
    body: `<p class="lead">${summary}</p>\n<div class="text">${html}</div>`,
  };
}
