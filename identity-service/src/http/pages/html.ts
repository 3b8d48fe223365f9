const markup = Symbol('markup');

/** Text that is safe in a page: made here only, so that no input can pass for it. */
export interface Html {
  readonly [markup]: string;
}

/** What may stand in a template: text is escaped, markup stays, lists are joined, `false` and absent show nothing. */
export type Insert = string | number | Html | false | undefined | readonly Insert[];

/**
 * A piece of a page. Everything that is inserted is escaped, unless it is such a piece itself. Values of attributes stand
 * in double quotes.
 */
export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  let text = parts[0] ?? '';
  for (const [index, insert] of inserts.entries()) {
    text += show(insert) + (parts[index + 1] ?? '');
  }
  return { [markup]: text };
}

/** Markup that was made from files of ours, never from input. */
export function ownMarkup(text: string): Html {
  return { [markup]: text };
}

/** The markup, to be sent. */
export function textOf(piece: Html): string {
  return piece[markup];
}

function show(insert: Insert): string {
  if (insert === undefined || insert === false) return '';
  if (typeof insert === 'number') return String(insert);
  if (typeof insert === 'string') return escapeText(insert);
  return isMarkup(insert) ? insert[markup] : insert.map(show).join('');
}

const isMarkup = (insert: Html | readonly Insert[]): insert is Html => markup in insert;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
