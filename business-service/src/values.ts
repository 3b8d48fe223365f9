import { createHash } from 'node:crypto';
import { z } from 'zod';

/** A point in time. Rules get it as an argument and do not read a clock. */
export type Instant = Date;

/** Ids are 32-bit integers in the database. */
export const maxBusinessId = 2_147_483_647;

export const businessId = z.int().min(1).max(maxBusinessId);

const dayMs = 86_400_000;

export function daysAfter(start: Instant, days: number): Instant {
  return new Date(start.getTime() + days * dayMs);
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
