import { expect, test } from '@jest/globals';
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
])('a link to %s leads to %s', (href, path) => {
  expect(renderMarkdown(`[there](${href})`).html).toBe(`<p><a href="${path}">there</a></p>\n`);
});

test('code stays as it is written, and what is wide can be reached with the keyboard', () => {
  const { html } = renderMarkdown('```sh\necho <pre> "$1"\n```\n\n| a |\n|---|\n| b |\n');
  expect(html).toContain('<pre tabindex="0"><code class="language-sh">echo &lt;pre&gt; &quot;$1&quot;');
  expect(html).toMatch(/<div class="table"[^>]* tabindex="0"><table>.*<\/table>\s*<\/div>/s);
});
