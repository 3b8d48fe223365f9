import { escapeHtml } from './html.ts';
import { renderMarkdown } from './render-markdown.ts';

const site = 'https://api.example.com';

/** An entry of the changelog. */
interface Change {
  /** Such as 2026-11-22. */
  readonly date: string;
  readonly title: string;
  readonly anchor: string;
  /** Markdown. */
  readonly text: string;
}

const entry = /^### (\d{4}-\d{2}-\d{2}) (.+) \{#([\w-]+)\}\n+([\s\S]+?)(?=\n+### |\n*$(?![\s\S]))/gm;

/** Entries of the changelog in a guide, in its order. @throws when there is none, or they are not the newest first */
export function readChanges(guide: string): readonly Change[] {
  const [, log = ''] = guide.split('\n## Changelog');
  const changes = [...log.matchAll(entry)].map(([, date = '', title = '', anchor = '', text = '']) => ({
    date,
    title,
    anchor,
    text,
  }));
  const headings = log.match(/^### /gm) ?? [];
  if (changes.length === 0 || changes.length < headings.length) {
    throw new Error('an entry of the changelog is not of the form: ### 2026-11-22 Title {#anchor}');
  }
  const isSorted = changes.every(({ date }, i) => i === 0 || date <= (changes[i - 1]?.date ?? ''));
  if (!isSorted) throw new Error('the entries of the changelog are not the newest first');
  return changes;
}

/** The changelog as a feed (Atom, RFC 4287). Links are absolute: readers show it elsewhere. */
export function renderFeed(changes: readonly Change[]): string {
  const page = `${site}/docs/versions`;
  const entries = changes.map(({ date, title, anchor, text }) => {
    const html = renderMarkdown(text).html.replaceAll('href="/', `href="${site}/`);
    return `  <entry>
    <id>${page}#${anchor}</id>
    <title>${escapeHtml(title)}</title>
    <updated>${instantOf(date)}</updated>
    <link rel="alternate" type="text/html" href="${page}#${anchor}"/>
    <content type="html">${escapeHtml(html)}</content>
  </entry>
`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${site}/docs/changes.atom</id>
  <title>Business API: changes</title>
  <updated>${instantOf(changes[0]?.date ?? '')}</updated>
  <author><name>Business API</name></author>
  <link rel="self" type="application/atom+xml" href="${site}/docs/changes.atom"/>
  <link rel="alternate" type="text/html" href="${page}"/>
${entries.join('')}</feed>
`;
}

const instantOf = (date: string) => `${date}T00:00:00Z`;
