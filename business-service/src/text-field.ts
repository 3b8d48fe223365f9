import { z } from 'zod';

// PostgreSQL stores neither NUL nor half a surrogate pair; other control characters only hide things.
const hidden = /[^\P{Cc}\t\n\r]/u;

/** Text of 1 to `max` characters that can be stored and shown. */
export function textField(max: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine((text) => text.isWellFormed() && !hidden.test(text), 'must not contain control characters');
}
