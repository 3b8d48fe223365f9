import { readFileSync } from 'node:fs';
import { type Heading, renderMarkdown } from './render-markdown.ts';

/** A guide for integrators. */
export interface Guide {
  readonly path: string;
  readonly title: string;
  /** What a reader gets from it, in one sentence. */
  readonly summary: string;
  readonly html: string;
  readonly headings: readonly Heading[];
}

const index = {
  name: 'index',
  summary: 'Read and change the data of a business from a program: by API key or with OAuth 2.0.',
};

/** In the order in which one reads them. Files in `guides/`. */
const chapters = [
  {
    name: 'first-call',
    summary: 'From an API key to an order that you have created and marked as paid, with curl.',
  },
  {
    name: 'oauth',
    summary: 'Act for a business that has approved your application: the flow with PKCE, step by step.',
  },
  {
    name: 'browser',
    summary: 'Call the API from a page in a browser: which origins, with what, and what to keep out of it.',
  },
  { name: 'errors', summary: 'Every refusal: what it means, what it looks like, and what to do about it.' },
  { name: 'limits', summary: 'How many requests an hour takes, how to see what is left, how to stay below.' },
  {
    name: 'key-hygiene',
    summary: 'Keep keys safe, replace them without an outage, and what to do on a leak.',
  },
] as const;

export interface Guides {
  readonly index: Guide;
  readonly chapters: readonly Guide[];
}

/** Reads and renders every guide. @param publicUrl takes the place of `{PUBLIC_URL}`, so that commands can be pasted */
export function renderGuides(publicUrl: string): Guides {
  return {
    index: renderGuide(index, '/docs', publicUrl),
    chapters: chapters.map((chapter) => renderGuide(chapter, `/docs/${chapter.name}`, publicUrl)),
  };
}

function renderGuide(
  { name, summary }: { readonly name: string; readonly summary: string },
  path: string,
  publicUrl: string,
): Guide {
  const file = readFileSync(new URL(`./guides/${name}.md`, import.meta.url), 'utf8');
  const [, title, text] = /^# ([^\n]+)\n(.*)$/s.exec(file.replaceAll('{PUBLIC_URL}', publicUrl)) ?? [];
  if (title === undefined || text === undefined) throw new Error(`the guide ${name} has no title`);
  return { path, title, summary, ...renderMarkdown(text) };
}
