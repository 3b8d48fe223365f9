import { expect, test } from '@jest/globals';
import { textOf } from './html.ts';
import { renderMarkdown } from './render-markdown.ts';

test('a heading has the id that is given, or one made from its text, and links to itself', () => {
  const { html, headings } = renderMarkdown("## Not found {#not_found}\n\n### What's `code` & more\n");
  expect(headings).toEqual([
    { depth: 2, id: 'not_found', label: 'Not found' },
    { depth: 3, id: 'whats-code--more', label: 'What&#39;s <code>code</code> &amp; more' },
  ]);
  expect(html).toContain('<h2 id="not_found"><a class="anchor" href="#not_found">Not found</a></h2>');
});

test('no two headings have the same id', () => {
  expect(() => renderMarkdown('## Same\n\n## Other {#same}\n')).toThrow('same');
});

test.each([
  ['errors.md', '/docs/errors'],
  ['errors.md#not_found', '/docs/errors#not_found'],
  ['index.md#scopes', '/docs#scopes'],
  ['#here', '#here'],
  ['https://example.com/errors.md', 'https://example.com/errors.md'],
  ['/dashboard', '/dashboard'],
  ['https://api.example.com/docs/errors#gone', '/docs/errors#gone'],
  ['https://api.example.com/v2/order', 'https://api.example.com/v2/order'],
])('a link to %s leads to %s', (href, path) => {
  expect(renderMarkdown(`[there](${href})`).html).toBe(`<p><a href="${path}">there</a></p>\n`);
});

test('code stays as it is written, and what is wide can be reached with the keyboard', () => {
  const { html } = renderMarkdown('```sh\necho <pre> "$1"\n```\n\n| a |\n|---|\n| b |\n');
  expect(html).toContain('<pre tabindex="0"><code class="language-sh">');
  expect(textOf(html)).toContain('echo <pre> "$1"');
  expect(html).toMatch(/<div class="table"[^>]* tabindex="0"><table>.*<\/table>\s*<\/div>/s);
});

test('sections between comments are alternatives with their anchors', () => {
  const { html, headings } = renderMarkdown(
    '## All\n\n<!-- tabs: Framework -->\n\n### One\n\nfirst\n\n### Other {#two}\n\nsecond\n\n<!-- /tabs -->\n\nend\n',
  );
  expect(html).toContain('<div class="tabs" role="group" aria-label="Framework">');
  expect(html).toMatch(/value="One" checked>One<.*value="Other">Other</s);
  expect(html).toMatch(
    /<div class="panel" id="two"><h3 class="panel-title">Other<\/h3>\s*<p>second<\/p>\s*<\/div><\/div>/,
  );
  expect(headings.map(({ id }) => id)).toEqual(['all', 'one', 'two']);
});
