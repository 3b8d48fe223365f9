/**
 * Whether a person has typed a name. Names may contain repeated, no-break and wide blanks and decomposed letters, which look
 * like plain ones in browsers and cannot be typed on keyboards.
 */
export const isSameName = (name: string, typed: string): boolean => plainName(name) === plainName(typed);

const plainName = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Zs}+/gu, ' ')
    .trim();
