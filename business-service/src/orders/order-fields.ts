import { z } from 'zod';
import { textField } from '../text-field.ts';
import { isCurrency } from './currency.ts';

// Fields of an order as they arrive in JSON, shared by POST and PATCH.

export const currencyField = z.string().refine(isCurrency, 'must be an ISO 4217 code such as EUR');

export const emailField = z.email('must be an e-mail address').max(254, 'must have at most 254 characters');

const maxMetadataEntries = 50;
const metadataKey = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$/, 'is not a usable key');

/** A map with checked keys. `__proto__` is refused here, because a record would drop it without a word. */
export function metadataField<T extends z.ZodType>(value: T) {
  return z
    .unknown()
    .refine((map) => !hasOwn(map, '__proto__'), '__proto__ is not a usable key')
    .pipe(z.record(metadataKey, value))
    .refine((map) => Object.keys(map).length <= maxMetadataEntries, 'must have at most 50 entries');
}

export const metadataValue = z
  .union([z.literal(''), textField(500)])
  .describe('text of at most 500 characters');

function hasOwn(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}
