const markup = Symbol('markup');

/** A piece of a page, made by `html` only. */
export interface Html {
  readonly [markup]: string;
}

/** A piece of a page. Everything that is inserted is escaped, unless it is a piece, or pieces, itself. */
export function html(
  parts: TemplateStringsArray,
  ...inserts: readonly (string | Html | readonly Html[])[]
): Html {
  const shown = inserts.map((insert) => {
    if (typeof insert === 'string') return escapeText(insert);
    return markup in insert ? insert[markup] : insert.map(textOf).join('');
  });
  return { [markup]: String.raw({ raw: parts }, ...shown) };
}

export function textOf(piece: Html): string {
  return piece[markup];
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
