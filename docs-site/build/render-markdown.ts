import { Marked, type Tokens } from 'marked';

/** A heading that can be linked to. */
export interface Heading {
  readonly depth: number;
  readonly id: string;
  /** As HTML. */
  readonly label: string;
}

export interface Rendered {
  readonly html: string;
  /** In document order, without the title. */
  readonly headings: readonly Heading[];
}

/** `## Heading {#id}`; without it the id is made from the text, as GitHub does. */
const givenId = /\s*\{#([\w-]+)\}\s*$/;

/** `errors.md#not_found`: links that also work between the files. */
const linkToGuide = /^([a-z-]+)\.md(#.*)?$/;

/**
 * Renders a guide without its title. @param text trusted Markdown
 * @throws when two headings have the same id
 */
export function renderMarkdown(text: string): Rendered {
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ depth, tokens }) {
        const inline = this.parser.parseInline(tokens);
        const label = inline.replace(givenId, '');
        const id = givenId.exec(inline)?.[1] ?? slugOf(label);
        if (headings.some((heading) => heading.id === id)) throw new Error(`two headings have the id ${id}`);
        headings.push({ depth, id, label });
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${label}</a></h${depth}>\n`;
      },
    },
    walkTokens: (token) => {
      if (isLink(token)) token.href = pathOf(token.href);
    },
  });
  const html = marked.parse(text, { async: false });
  return { html: makeReachable(html), headings };
}

const isLink = (token: { readonly type: string }): token is Tokens.Link => token.type === 'link';

function pathOf(href: string): string {
  const [, name, anchor = ''] = linkToGuide.exec(href) ?? [];
  if (name === undefined) return href;
  return name === 'index' ? `/docs${anchor}` : `/docs/${name}${anchor}`;
}

function slugOf(label: string): string {
  return label
    .replace(/<[^>]+>|&[^;]+;/g, '')
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .trim()
    .replaceAll(' ', '-');
}

/** Scrollable regions need keyboard focus (WCAG 2.1.1). */
function makeReachable(html: string): string {
  return html
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="table" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
}
