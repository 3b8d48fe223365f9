import { expect, test } from '@jest/globals';
import MiniSearch from 'minisearch';
import { renderMarkdown } from './render-markdown.ts';
import { renderSearchIndex, sectionsOf } from './search-index.ts';

const { html } = renderMarkdown(`Text of \`all\`, "quoted".

## First {#first}

${'Many words. '.repeat(20)}

\`\`\`sh
unsearched
\`\`\`

<!-- tabs: Language -->

### Ada

Of Ada, at https://api.example.com/v2/order.

### Go

Of Go.

<!-- /tabs -->
`);
const page = { path: '/docs/page', title: 'Page', summary: '', headings: [], body: html };

test('a section begins at each heading, and at each alternative', () => {
  expect(sectionsOf(page).map(({ id, title }) => [id, title])).toEqual([
    ['/docs/page', 'Page'],
    ['/docs/page#first', 'First'],
    ['/docs/page#ada', 'Ada'],
    ['/docs/page#go', 'Go'],
  ]);
});

test('its text is without code and markup, and its excerpt is short and names no platform', () => {
  const [all, first, ada] = sectionsOf(page);
  expect(all?.text).toBe('Text of all, "quoted".');
  expect(first?.excerpt).toMatch(/^(?:Many words\. )+…$|^Many words.*…$/);
  expect(first?.excerpt.length).toBeLessThan(120);
  expect(first?.text).not.toContain('unsearched');
  expect(ada?.excerpt).toBe('Of Ada, at /v2/order.');
});

test('the index finds a section with the options that it brings', () => {
  const { options, index } = JSON.parse(renderSearchIndex([page]));
  const [hit] = MiniSearch.loadJS(index, options).search('Ada');
  expect(hit).toMatchObject({ id: '/docs/page#ada', page: 'Page', title: 'Ada' });
});
