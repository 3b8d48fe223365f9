import { z } from 'zod';

/** Controls, and those that change the direction of the text around them (Unicode standard annex 9, sections 2.1 to 2.4). */
const controls = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/** The same but tab and line breaks. */
const hiddenControls = new RegExp(`(?![\\t\\n\\r])${controls.source}`, 'u');

/** Text of a validation error. */
export const controlCharacters =
  'must not contain control characters or characters that change the direction of text';

/**
 * Whether a text is one line that PostgreSQL can store and a page can show as it reads: no control characters, none that change the
 * direction of text, no lone surrogate.
 */
export function isLine(text: string): boolean {
  return text.isWellFormed() && !controls.test(text);
}

/** The same with tabs and line breaks allowed. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !hiddenControls.test(text);
}

/** The value of a digit. The digits of a script are consecutive, starting with its zero. */
function digitValue(digit: string): number {
  const at = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(at - value - 1))) value++;
  return value;
}

/** Replaces digits of other scripts, which some keyboards write, with ASCII digits. */
export function withAsciiDigits(text: string): string {
  return text.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)));
}

/** Plain text of 1 to `max` characters. */
export function textField(max: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine(isPlainText, controlCharacters);
}
