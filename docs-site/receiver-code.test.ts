import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { frameworks, receiverOf } from '../dashboard/src/pages/webhooks/receiver-code.ts';

const guide = readFileSync(new URL('guides/webhooks.md', import.meta.url), 'utf8');

/* The dashboard's receiver check shows code out of the guide. */

describe.each(frameworks)('the receiver for $name', (framework) => {
  const code = receiverOf(guide, framework);

  test('verifies the signature, refuses with 400 and remembers what it has seen', () => {
    expect(code).toMatch(/verify\(/);
    expect(code).toContain('WEBHOOK_SECRET');
    expect(code).toContain('400');
    expect(code).toContain('seen');
    expect(code).not.toContain('```');
    expect(code).not.toContain('###');
  });

  test('names the framework', () => {
    expect(code.toLowerCase()).toContain(
      { 'Next.js': 'app/hook/route' }[framework.name] ?? framework.section,
    );
  });
});

test('a heading that the guide does not have is an error', () => {
  const framework = { name: 'Rails', section: 'rails', headings: ['Rails'] };
  expect(() => receiverOf(guide, framework)).toThrow('no code for Rails');
});
