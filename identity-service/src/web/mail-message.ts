import { type Html, html, textOf } from './html.ts';

/** Maximum bytes of a line in HTML. SMTP allows 998 (RFC 5321 section 4.5.3.1.6); the rest is for the tags around it. */
const maxLine = 850;

/** Longest link of an email. */
export const maxLink = maxLine;

/** A part of a message: its headers, and its body as it is sent. */
export interface MessagePart {
  readonly raw: string;
}

/**
 * Text and HTML of an email. The HTML is made from the text, so both always say the same. Encoded as 7bit or 8bit, because
 * quoted-printable breaks links into lines and writes `=` as `=3D`, so links copied from a mail file would not work.
 */
export function messageParts(subject: string, text: string): readonly [MessagePart, MessagePart] {
  const folded = text.split('\n').flatMap(foldLine).join('\n');
  return [part('text/plain', folded), part('text/html', renderHtml(subject, folded))];
}

const notAscii = /[^\p{ASCII}]/u;

function part(type: string, content: string): MessagePart {
  const encoding = notAscii.test(content) ? '8bit' : '7bit';
  const lines = content.replace(/\r?\n/g, '\r\n');
  return {
    raw: `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${lines}`,
  };
}

/** A line that is a link and nothing else. */
const linkLine = /^https?:\/\/\S+$/;

const sizeInHtml = (text: string) => Buffer.byteLength(textOf(html`${text}`));

/** Breaks a line that is too long, such as the reason of an operator, at blanks or within a long word. Keeps links whole. */
function foldLine(line: string): string[] {
  if (linkLine.test(line) || sizeInHtml(line) <= maxLine) return [line];
  const lines: string[] = [];
  let current = '';
  for (const word of line.match(/\s*\S{1,100}/gu) ?? []) {
    if (current !== '' && sizeInHtml(current + word) > maxLine) {
      lines.push(current);
      current = word.trimStart();
    } else {
      current += word;
    }
  }
  return [...lines, current];
}

/** Matches a line that ends with a label for the link below it, such as `Set it here:`. */
const label = /^(.*?[.!?]\s+)?([^.!?:]{2,60}):$/s;

/** A paragraph that begins with an underlined heading: `=` for a part, `-` for an entry within it. */
const headed = /^(.+)\n([=-])\2+(?:\n([\s\S]*))?$/;

/** Inline styles, because mail clients load no stylesheets and few support one in the head. */
const styles = {
  page: 'margin:0;padding:24px 12px;background:#f4f5f7;color:#1c2430;font:16px/1.5 -apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif',
  card: 'max-width:560px;margin:0 auto;padding:28px 28px 12px;background:#ffffff;border:1px solid #d9dee5;border-radius:8px',
  brand: 'margin:0 0 20px;color:#5b6675;font-size:14px;font-weight:600',
  heading: 'margin:0 0 16px;font-size:21px;line-height:1.3',
  part: 'margin:28px 0 12px;padding-top:16px;border-top:1px solid #d9dee5;font-size:18px;line-height:1.3',
  entry: 'margin:0 0 4px;font-size:16px;line-height:1.4',
  text: 'margin:0 0 16px',
  button:
    'display:inline-block;padding:10px 18px;background:#1f5fbf;color:#ffffff;border-radius:6px;font-weight:600;text-decoration:none',
  address: 'margin:0 0 20px;color:#5b6675;font-size:13px;word-break:break-all',
};

function renderHtml(subject: string, text: string): string {
  return textOf(html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${subject}</title></head>
<body style="${styles.page}">
<div style="${styles.card}">
<p style="${styles.brand}">Business API</p>
<h1 style="${styles.heading}">${subject}</h1>
${text
  .trim()
  .split(/\n\s*\n/)
  .map(renderParagraph)}
</div>
</body>
</html>
`);
}

/** A paragraph, with its heading where it has one. */
function renderParagraph(paragraph: string): Html {
  const [, title, line, rest] = headed.exec(paragraph) ?? [];
  if (title === undefined) return renderLines(paragraph);
  const heading =
    line === '='
      ? html`<h2 style="${styles.part}">${title}</h2>\n`
      : html`<h3 style="${styles.entry}">${title}</h3>\n`;
  return rest === undefined ? heading : html`${heading}${renderLines(rest)}`;
}

/** Lines; one that is a link becomes a button, with its address below it. */
function renderLines(paragraph: string): Html {
  const blocks: Html[] = [];
  let lines: string[] = [];
  const flush = () => {
    if (lines.length > 0) blocks.push(html`<p style="${styles.text}">${joinLines(lines)}</p>\n`);
    lines = [];
  };
  for (const line of paragraph.split('\n')) {
    if (!linkLine.test(line)) {
      lines.push(line);
      continue;
    }
    const [, before, action] = label.exec(lines.at(-1) ?? '') ?? [];
    if (action !== undefined) lines.splice(-1, 1, ...(before === undefined ? [] : [before.trim()]));
    flush();
    blocks.push(html`<p style="${styles.text}"><a href="${line}"
style="${styles.button}">${action ?? 'Open'}</a></p>
<p style="${styles.address}">${line}</p>
`);
  }
  flush();
  return html`${blocks}`;
}

function joinLines(lines: readonly string[]): Html[] {
  return lines.map((line, index) => html`${index > 0 && html`<br>\n`}${line}`);
}

/** Characters of a name in an email. */
const maxName = 80;

/** Characters that join the parts of a link, with East Asian forms that mail clients and browsers treat as ASCII. */
const linkCharacters = /[.:/@\\\u3002\uff0e\uff61\uff1a\uff0f\uff20\uff3c\u2024]+(?=\S)/g;

/** Maximum length of an address in an email: longer than any host. */
const maxAddress = 300;

/** An address for reading only, as `https[:]//a[.]example/x`, which mail clients do not turn into a link. */
export function addressWithoutLink(url: string): string {
  const shown = url.length <= maxAddress ? url : `${url.slice(0, maxAddress)}…`;
  return shown
    .replaceAll(/\s+/g, ' ')
    .replaceAll(linkCharacters, (joint) => joint.replaceAll(/[^/]/g, '[$&]'));
}

/** Shortens a name and breaks up anything that a mail client would turn into a link. */
export function withoutLinks(name: string): string {
  const plain = name.replaceAll(/\s+/g, ' ').replaceAll(linkCharacters, ' ');
  const characters = [...plain.trim()];
  return characters.length <= maxName ? characters.join('') : `${characters.slice(0, maxName).join('')}…`;
}
