import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { plainText, readSections, sectionsFor } from './error-guide.ts';

/* The page as the platform serves it. */
const markdown = readFileSync(new URL('../../../docs-site/guides/errors.md', import.meta.url), 'utf8');
const anchorsFor = (wanted: string) => sectionsFor(markdown, wanted).map(({ anchor }) => anchor);

describe('the errors of the page', () => {
  test('are all read, nearly all with their cause and what to do', () => {
    const sections = readSections(markdown);
    expect(sections.length).toBe(markdown.match(/^### /gm)?.length);
    const complete = sections.filter(({ text }) => /^\*\*Cause\.\*\*.*^\*\*What to do\.\*\*/ms.test(text));
    expect(complete.length).toBeGreaterThan(sections.length - 4);
  });

  test.each([
    ['insufficient_scope', ['insufficient_scope']],
    ['consent_required', ['login_required']],
    ['409', ['conflict']],
    ['502', ['bad_gateway']],
    ['431', ['unread']],
    ['418', []],
    ['no_such_error', []],
    ['api', []],
  ])('for %s are %j', (wanted, expected) => expect(anchorsFor(wanted)).toEqual(expected));

  test('for a status are those of its row, and those of OAuth', () => {
    expect(anchorsFor('403')).toContain('ip_not_allowed');
    expect(anchorsFor('429')).toEqual(['rate_limit_exceeded', 'temporarily_unavailable']);
    expect(anchorsFor('400')).toContain('invalid_grant');
  });
});

test('text for a terminal has no signs of Markdown', () => {
  const text = plainText(
    'See [this](errors.md#x).\n\n```http\nHTTP/1.1 403\n\n{"a":1}\n```\n\n**Cause.** A *b* `c`, 2 * 3.',
  );
  expect(text).toBe('See this.\n\n  HTTP/1.1 403\n\n  {"a":1}\n\nCause. A b `c`, 2 * 3.');
});
