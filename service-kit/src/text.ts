import { z } from 'zod';

const controls = /\p{Cc}/u;

/** Control characters but tab and line breaks. */
const hiddenControls = /[^\P{Cc}\t\n\r]/u;

/** Whether a text is one line that PostgreSQL can store and a page can show: no control characters, no lone surrogate. */
export function isLine(text: string): boolean {
  return text.isWellFormed() && !controls.test(text);
}

/** The same with tabs and line breaks allowed. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !hiddenControls.test(text);
}

/** Plain text of 1 to `max` characters. */
export function textField(max: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine(isPlainText, 'must not contain control characters');
}
