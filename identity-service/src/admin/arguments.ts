import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { normalizeEmail, validateEmail } from '../people/person.ts';

/** The option `--email`, as addresses are stored. */
export const ofPerson = z.object({
  email: z
    .string()
    .transform(normalizeEmail)
    .refine((address) => validateEmail(address) === undefined, 'must be an email address'),
});

/** Parses a comma-separated list, such as scopes or addresses; the operation validates its entries. */
export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Parses a positive whole number. @throws InvalidArgumentError */
export function parseCount(text: string): number {
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text) || value < 1)
    throw new InvalidArgumentError('It must be a positive whole number.');
  return value;
}

/** Invalid command line; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

const duration = /^(\d{1,6})([mhdw])$/;

/** RFC 3339 section 5.6. The offset is required, so that the time does not depend on a time zone. */
const dateTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * Parses an expiration, a duration from `now` such as 90d or an RFC 3339 time, to milliseconds since 1970.
 * @throws UsageError
 */
export function parseExpiry(text: string, now: number): number {
  return parseMoment('--expires', text, (lengthMs) => now + lengthMs);
}

/**
 * Parses the start of a period, a duration before `now` such as 24h or an RFC 3339 time, to milliseconds since 1970.
 * @throws UsageError
 */
export function parseSince(text: string, now: number): number {
  return parseMoment('--since', text, (lengthMs) => Math.max(now - lengthMs, 0));
}

function parseMoment(option: string, text: string, after: (lengthMs: number) => number): number {
  const [, count, unit] = duration.exec(text) ?? [];
  const length = unitMs[unit ?? ''];
  if (length !== undefined) return after(Number(count) * length);
  const time = dateTime.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new UsageError(
      `${option} must be a duration (30m, 12h, 90d, 4w) or a time like 2027-01-31T00:00:00Z.`,
    );
  }
  return time;
}
