import unhomoglyph from 'unhomoglyph';
import { z } from 'zod';

/**
 * Characters that show nothing, reverse what is around them, or have no meaning of their own: controls, format characters
 * (zero-width, bidirectional, tags), fillers and other default ignorables, private use, lone surrogates, and blanks that
 * Unicode counts as symbols or marks.
 */
const hidden =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u{2800}\u{fffc}\u{16fe4}\u{1d159}]/u;

/** The same but for tab and line breaks. */
const hiddenInText = new RegExp(`(?![\\t\\n\\r])${hidden.source}`, 'u');

/** Spaces of other widths; some are as thin as a hair. */
const oddSpace = /[^\P{Zs} \u{a0}\u{3000}]/u;

const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** More marks on one letter than any script uses, which would overlap other text (UTS 39, section 5.4). */
const manyMarks = /\p{M}{5}/u;

/** Text of a validation error. */
export const hiddenCharacters = 'must not contain invisible, reversing or control characters';

/**
 * Whether a text may be a one-line name that other people see: something visible, no hidden characters, no stacks of marks.
 * All services use this rule.
 */
export function isName(text: string): boolean {
  return visible.test(text) && ![hidden, oddSpace, manyMarks].some((pattern) => pattern.test(text));
}

/** The same for a text of several lines. */
export function isDescription(text: string): boolean {
  return visible.test(text) && ![hiddenInText, manyMarks].some((pattern) => pattern.test(text));
}

/** A name of 1 to `max` characters. */
export function nameField(max: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine(isName, hiddenCharacters);
}

/**
 * Keys of a name: names that look alike share one. Skeletons (UTS 39, section 4) of the name as it is, in lower and in
 * upper case, since `I` looks like `l` and `i` does not.
 */
export function nameKeys(name: string): string[] {
  const plain = name
    .normalize('NFKC')
    .replace(/\p{Zs}+/gu, ' ')
    .trim();
  const spellings = [plain, plain.toLowerCase(), plain.toUpperCase()];
  return [...new Set(spellings.map((spelling) => skeleton(spelling).toLowerCase()))];
}

function skeleton(text: string): string {
  const decomposed = text.normalize('NFD').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return unhomoglyph(decomposed).normalize('NFD');
}
