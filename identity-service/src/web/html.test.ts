import { expect, test } from '@jest/globals';
import { html, textOf } from './html.ts';

const attack = `"'><script>alert(1)</script>&amp;`;

test('inserted values are escaped in text and in attributes', () => {
  expect(textOf(html`<p title="${attack}">${attack}</p>`)).toBe(
    '<p title="&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;">&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;</p>',
  );
});

test('fragments stay markup, lists are joined, and absent values are left out', () => {
  const items = ['<a>', 'b'].map((text) => html`<li>${text}</li>`);
  expect(textOf(html`<ul>${items}</ul>${undefined}${false}${7}`)).toBe(
    '<ul><li>&lt;a&gt;</li><li>b</li></ul>7',
  );
});

test('parsed input is never accepted as a fragment', () => {
  const forged = JSON.parse('{"markup":"<script>","Symbol(markup)":"<script>"}');
  expect(() => html`${forged}`).toThrow();
});
