import MiniSearch from 'minisearch';
import { textOf } from './html.ts';
import type { DocsPage } from './page.ts';

/** A section as the search knows it. */
interface Section {
  /** Address with its anchor. */
  readonly id: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
  /** Beginning of the text, which a hit shows. */
  readonly excerpt: string;
}

const options = {
  fields: ['title', 'text'],
  storeFields: ['page', 'title', 'excerpt'],
};

/** Characters of an excerpt. */
const maxExcerpt = 110;

/** The index of every section of the pages, as JSON: `{ options, index }`, so that the browser reads it as it was written. */
export function renderSearchIndex(pages: readonly DocsPage[]): string {
  const index = new MiniSearch<Section>(options);
  index.addAll(pages.flatMap(sectionsOf));
  return JSON.stringify({ options, index });
}

/** Code, forms, and what every operation says in the same words. */
const unsearched =
  /<pre.*?<\/pre>|<form.*?<\/form>|<ul class="errors">.*?<\/ul>|<div class="choices">.*?<\/div>/gs;

const heading = /<(?:h[23]|div class="panel") id="([^"]+)">(.*?)<\/h[23]>/s;

/** The text before the first heading, then a section per heading of the second and third level. */
export function sectionsOf({ path, title: page, body }: DocsPage): Section[] {
  const parts = body.replace(unsearched, '').split(/(?=<(?:h[23]|div class="panel") id=")/);
  return parts.map((part) => {
    const [whole = '', id, label] = heading.exec(part) ?? [];
    const text = textOf(part.replace(whole, '')).replaceAll('https://api.example.com', '');
    return {
      id: id === undefined ? path : `${path}#${id}`,
      page,
      title: label === undefined ? page : textOf(label),
      text,
      excerpt: excerptOf(text),
    };
  });
}

function excerptOf(text: string): string {
  if (text.length <= maxExcerpt) return text;
  return `${text.slice(0, text.lastIndexOf(' ', maxExcerpt))} …`;
}
