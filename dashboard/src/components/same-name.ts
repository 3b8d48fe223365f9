/**
 * Whether a person has typed a name. Browsers show one blank for several, and keyboards have neither no-break nor wide ones, nor decomposed letters: names may have all of them.
 */
export const isSameName = (name: string, typed: string): boolean => plainName(name) === plainName(typed);

const plainName = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Zs}+/gu, ' ')
    .trim();
