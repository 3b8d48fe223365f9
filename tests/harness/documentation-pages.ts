import { decode } from './browser.ts';

/** Paths of the documentation: the guides, then the reference. */
export const documentationPages = [
  '/docs',
  '/docs/first-call',
  '/docs/sandbox',
  '/docs/oauth',
  '/docs/connect',
  '/docs/events',
  '/docs/webhooks',
  '/docs/reconcile',
  '/docs/client',
  '/docs/cli',
  '/docs/browser',
  '/docs/errors',
  '/docs/limits',
  '/docs/key-hygiene',
  '/docs/roles',
  '/docs/promises',
  '/docs/versions',
  '/docs/reference',
] as const;

/** Blocks of code in a language on a page, as a reader copies them: without the elements of their colours. */
export const codeBlocks = (html: string, language: string): string[] =>
  [...html.matchAll(new RegExp(`<code class="language-${language}">(.*?)</code>`, 'gs'))].map(
    ([, block = '']) => decode(block.replace(/<[^>]+>/g, '')),
  );
