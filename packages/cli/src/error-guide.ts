/** One error of the documentation. */
export interface Section {
  readonly anchor: string;
  readonly title: string;
  /** Markdown without the heading. */
  readonly text: string;
}

/** Reads the errors of /docs/errors.md: headings of the third level with an anchor. */
export function readSections(markdown: string): Section[] {
  const parts = markdown.split(/^(?=#{2,3} )/m);
  return parts.flatMap((part) => {
    const [, title, anchor, text] = /^### (.+) \{#([\w-]+)\}\n(.*)$/s.exec(part) ?? [];
    if (title === undefined || anchor === undefined || text === undefined) return [];
    return [{ anchor, title, text: text.trim() }];
  });
}

/** The errors that a status or a code may be; a code is an anchor, or one of several in a title. */
export function sectionsFor(markdown: string, wanted: string): Section[] {
  const sections = readSections(markdown);
  if (!/^\d{3}$/.test(wanted)) {
    const exact = sections.filter(({ anchor }) => anchor === wanted);
    return exact.length > 0 ? exact : sections.filter(({ title }) => title.split(', ').includes(wanted));
  }
  // In the response that a section shows, or in its table.
  const shown = new RegExp(`^(HTTP/1\\.1 ${wanted} |\\| ${wanted} \\|)`, 'm');
  return sections.filter(({ text }) => shown.test(text));
}

/** Markdown as text for a terminal: links without their address, emphasis without its signs, code indented. */
export function plainText(markdown: string): string {
  const parts = markdown.split(/^```\w*\n(.*?)^```$/ms);
  const texts = parts.map((part, index) => (index % 2 === 1 ? indented(part) : withoutSigns(part)));
  return texts.join('').trim();
}

const indented = (code: string) => code.trimEnd().replace(/^(?=.)/gm, '  ');

const withoutSigns = (text: string) =>
  text
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/\*\*([^*]+)\*\*/g, '$1')
    .replace(/(?<![\w*])\*([^*\n]+)\*(?![\w*])/g, '$1');
