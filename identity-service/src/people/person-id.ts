import { randomBytes } from 'node:crypto';

/** A new identifier of a person. */
export function newPersonId(): string {
  return `per_${randomBytes(12).toString('hex')}`;
}
