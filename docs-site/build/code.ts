import { createRequire } from 'node:module';
import { escapeHtml } from './html.ts';

/** The used part of highlight.js: its own types would bring those of the DOM into every file of the platform. */
interface Highlighter {
  registerLanguage(name: string, language: unknown): void;
  getLanguage(name: string): unknown;
  highlight(code: string, options: { readonly language: string }): { readonly value: string };
}

const load = createRequire(import.meta.url);
const highlighter: Highlighter = load('highlight.js/lib/core');
// They have short names of their own, such as sh, js, ts and py.
for (const name of ['bash', 'go', 'http', 'javascript', 'json', 'php', 'python', 'sql', 'typescript']) {
  highlighter.registerLanguage(name, load(`highlight.js/lib/languages/${name}`));
}

/** A block of code with its colours as classes: the policy of the pages forbids styles in elements. */
export function renderCode(code: string, language = ''): string {
  const html =
    highlighter.getLanguage(language) === undefined
      ? escapeHtml(code)
      : highlighter.highlight(code, { language }).value.replaceAll('&#x27;', '&#39;');
  const name = language === '' ? '' : ` class="language-${language}"`;
  // Scrollable regions need keyboard focus (WCAG 2.1.1).
  return `<div class="code"><pre tabindex="0"><code${name}>${html}</code></pre></div>\n`;
}

/** A value as a block of JSON. */
export const renderJson = (value: unknown): string => renderCode(JSON.stringify(value, null, 2), 'json');
