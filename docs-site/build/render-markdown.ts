import { Marked, type Tokens } from 'marked';
import { renderCode } from './code.ts';
import { renderTabs } from './tabs.ts';

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

/** Links of openapi.yaml into the documentation. */
const linkToSite = /^https:\/\/api\.example\.com(?=\/docs)/;

/** Sections of the third level from `<!-- tabs: Framework -->` to `<!-- /tabs -->` are alternatives. */
const alternatives = /<!-- tabs: (.+?) -->(.*?)<!-- \/tabs -->/gs;

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
      code: ({ text: code, lang }) => renderCode(code, lang),
    },
    walkTokens,
  });
  const html = marked.parse(text, { async: false }).replace(alternatives, renderAlternatives);
  return { html: makeReachable(html), headings };
}

const plain = new Marked({
  renderer: { code: ({ text: code, lang }) => renderCode(code, lang) },
  walkTokens,
});

/** Renders a description of the OpenAPI document. @param text trusted Markdown without headings */
export const renderBlocks = (text: string): string => plain.parse(text, { async: false });

/** Renders one line of it, without a paragraph around it. */
export const renderInline = (text: string): string => plain.parseInline(text.trim(), { async: false });

function walkTokens(token: { readonly type: string }): void {
  if (isLink(token)) token.href = pathOf(token.href);
}

function renderAlternatives(_: string, legend: string, html: string): string {
  const tabs = html
    .split(/(?=<h3 )/)
    .filter((section) => section.startsWith('<h3 '))
    .map((section) => {
      const [heading = '', id = '', label = ''] =
        /^<h3 id="([^"]+)"><a[^>]*>(.*?)<\/a><\/h3>/.exec(section) ?? [];
      return { id, label, html: section.replace(heading, `<h3 class="panel-title">${label}</h3>`) };
    });
  return renderTabs(legend, legend, tabs);
}

const isLink = (token: { readonly type: string }): token is Tokens.Link => token.type === 'link';

function pathOf(href: string): string {
  const [, name, anchor = ''] = linkToGuide.exec(href) ?? [];
  if (name === undefined) return href.replace(linkToSite, '');
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
    .replaceAll('<table>', '<div class="table" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
}
