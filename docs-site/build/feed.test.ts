import { expect, test } from '@jest/globals';
import { readChanges, renderFeed } from './feed.ts';

const guide = `# Versions

## Changelog {#changelog}

Subscribe.

### 2026-11-22 A < B {#less}

See [errors](errors.md#not_found) & \`x\`.

Second paragraph.

### 2026-11-21 Version 2 {#v2}

All of it.
`;

test('an entry has its date, title, anchor and whole text', () => {
  expect(readChanges(guide)).toEqual([
    {
      date: '2026-11-22',
      title: 'A < B',
      anchor: 'less',
      text: 'See [errors](errors.md#not_found) & `x`.\n\nSecond paragraph.',
    },
    { date: '2026-11-21', title: 'Version 2', anchor: 'v2', text: 'All of it.' },
  ]);
});

test('the feed escapes what it shows, and its links are absolute', () => {
  const feed = renderFeed(readChanges(guide));
  expect(feed).toContain('<title>A &lt; B</title>');
  expect(feed).toContain('&lt;a href=&quot;https://api.example.com/docs/errors#not_found&quot;&gt;errors');
  expect(feed).toContain('&amp;amp; &lt;code&gt;x');
  expect(feed).toContain('<id>https://api.example.com/docs/versions#v2</id>');
});

test.each([
  ['without entries', '# Versions\n'],
  ['with an entry without a date', guide.replace('2026-11-22 ', '')],
  ['with an entry without an anchor', guide.replace(' {#v2}', '')],
  ['that begins with the oldest', guide.replace('2026-11-22', '2026-11-20')],
])('a changelog %s is refused', (_, text) => {
  expect(() => readChanges(text)).toThrow(/changelog/);
});
