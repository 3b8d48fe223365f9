import { expect, test } from '@jest/globals';
import { addressWithoutLink, maxLink, messageParts, withoutLinks } from './mail-message.ts';

const link =
  'https://api.example.com/password/reset?token=pr_1234567890123456789012345678901234567890&continue=%2Foauth';

const text = `You, or another person, requested a new password. Set it here:
${link}

The link works once.
Ignore this email otherwise.
`;

const bodyOf = ({ raw }: { raw: string }) => raw.split('\r\n\r\n').slice(1).join('\r\n\r\n');

test('a link of any length stays on one line of the text', () => {
  const [plain] = messageParts('Set a new password', text);
  expect(plain.raw).toMatch(
    /^Content-Type: text\/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n/,
  );
  expect(bodyOf(plain).split('\r\n')).toContain(link);
});

test('characters beyond ASCII are sent unencoded', () => {
  const [plain, page] = messageParts('Für „Müller“', 'Grüße an „Müller“\n');
  for (const { raw } of [plain, page]) expect(raw).toContain('Content-Transfer-Encoding: 8bit');
  expect(bodyOf(plain)).toBe('Grüße an „Müller“\r\n');
});

test('the HTML shows a link as a button with its purpose, and the address below it', () => {
  const html = bodyOf(messageParts('Set a new password', text)[1]);
  const escaped = link.replace('&', '&amp;');
  expect(html).toContain(`<a href="${escaped}"`);
  expect(html).toContain('>Set it here</a>');
  expect(html).toContain(`>${escaped}</p>`);
  expect(html).toContain('requested a new password.</p>');
  expect(html).toContain('The link works once.<br>\r\nIgnore this email otherwise.');
  expect(html).toContain('<h1');
});

test('the HTML shows an underlined line as a heading', () => {
  const digest = 'Engines\n=======\n\nFrozen\n------\nAll is\nfrozen.\n\nnot\n-one\n\n---\n';
  const html = bodyOf(messageParts('Notices', digest)[1]);
  expect(html).toMatch(/<h2 style="[^"]+">Engines<\/h2>/);
  expect(html).toMatch(/<h3 style="[^"]+">Frozen<\/h3>\s+<p style="[^"]+">All is<br>\r\nfrozen\.<\/p>/);
  expect(html).toContain('>not<br>\r\n-one</p>');
  expect(html).toContain('>---</p>');
});

test('text from other people becomes neither markup nor a link', () => {
  const html = bodyOf(messageParts('<b>', 'Hello "<img src=x>" at https://evil.example now\n')[1]);
  expect(html).not.toContain('<img');
  expect(html).not.toContain('<b>');
  expect(html).not.toContain('<a ');
});

const sentence = (word: string, count: number) => `Because: ${`${word} `.repeat(count)}`;

test.each([
  ['the longest link', text.replace(link, link.padEnd(maxLink, 'a'))],
  ['a long reason', sentence('заблокировано', 36)],
  ['one without blanks', sentence('理由'.repeat(250), 1)],
  ['one of quotes', sentence('"'.repeat(500), 1)],
  ['many lines', `${sentence('warum', 100)}\n`.repeat(5)],
])('no line is longer than SMTP carries, with %s, and no text is lost', (_, long) => {
  const [plain, page] = messageParts('Set a new password', long);
  for (const { raw } of [plain, page]) {
    for (const line of raw.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(998);
  }
  const letters = (shown: string) => shown.replaceAll(/\s/g, '');
  expect(letters(bodyOf(plain))).toBe(letters(long));
});

test.each([
  ['Analytical Engines Ltd.', 'Analytical Engines Ltd.'],
  ['J.P. Morgan', 'J P. Morgan'],
  ['win at https://evil.example/now', 'win at https evil example now'],
  ['evil.example', 'evil example'],
  ['mail me@evil.example', 'mail me evil example'],
  ['evil。example', 'evil example'],
  ['evil．example', 'evil example'],
  ['evil｡example', 'evil example'],
  ['https：／／evil．example', 'https evil example'],
  ['me＠evil．example', 'me evil example'],
  ['株式会社。', '株式会社。'],
  ['a\u2028b\n\nc', 'a b c'],
])('the name %j becomes %j', (name, expected) => {
  expect(withoutLinks(name)).toBe(expected);
});

test.each([
  ['https://a.example.com/x', 'https[:]//a[.]example[.]com/x'],
  ['http://127.0.0.1:18999/500', 'http[:]//127[.]0[.]0[.]1[:]18999/500'],
  ['https://a.example/evil.example/@b', 'https[:]//a[.]example/evil[.]example/[@]b'],
  ['https://ａ．example', 'https[:]//ａ[．]example'],
])('the address %j can be read as %j', (address, expected) => {
  expect(addressWithoutLink(address)).toBe(expected);
});

test('a long name is cut', () => {
  expect(withoutLinks('ä'.repeat(200))).toBe(`${'ä'.repeat(80)}…`);
});
