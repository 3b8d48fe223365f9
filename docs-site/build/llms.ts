import { type DocsPage, markdownPath } from './page.ts';

/** A page with its text as Markdown. */
export type MarkdownPage = DocsPage & { readonly markdown: string };

const origin = 'https://api.example.com';

const name = 'Business API';

/** llms.txt: every page as a link to its Markdown, for programs that begin with the address alone (llmstxt.org). */
export function renderLlmsIndex([index, ...pages]: readonly [MarkdownPage, ...MarkdownPage[]]): string {
  return `# ${name}

> ${index.summary}

[Overview](${origin}${markdownPath(index.path)}). Every page is Markdown at its address with \`.md\`, or with \`Accept: text/markdown\`.

## Documentation

${renderLinks(pages)}

## Machine-readable

- [OpenAPI document](${origin}/docs/openapi.json): every operation, schema and error.
- [Authorization server metadata](${origin}/.well-known/oauth-authorization-server): RFC 8414.
- [API catalog](${origin}/.well-known/api-catalog): RFC 9727.
- [All pages in one file](${origin}/llms-full.txt)
`;
}

/** A list of pages as Markdown. */
export function renderLinks(pages: readonly DocsPage[]): string {
  return pages
    .map(({ path, title, summary }) => `- [${title}](${origin}${markdownPath(path)}): ${summary}`)
    .join('\n');
}

/** llms-full.txt: every page, one after the other. */
export function renderLlmsFull(pages: readonly MarkdownPage[]): string {
  return pages.map(({ path, markdown }) => `<!-- ${origin}${path} -->\n\n${markdown.trim()}\n`).join('\n');
}
