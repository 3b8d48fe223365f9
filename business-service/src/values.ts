import { createHash, randomInt } from 'node:crypto';
import { z } from 'zod';

/** A point in time. Domain code is given one and makes none, so it knows the type and not the constructor. */
export type Instant = Date;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const length = 20;

/** `<prefix>_` and 20 random base62 characters (119 bits): unique without asking anybody, and not guessable. */
export function randomId(prefix: string): string {
  return `${prefix}_${Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')}`;
}

/** SHA-256 of a value as JSON, in base64url. The order of fields makes no difference: JSONB does not keep it. */
export function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url');
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

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
