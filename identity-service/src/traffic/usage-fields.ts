import { z } from 'zod';
import { givenInstant, instant, instantOrNull } from '../web/dashboard-api/fields.ts';
import { type AddressUse, type Client, maxHourlySpanMs } from './usage.ts';

/** An API key or a connected application, as the dashboard API returns it. */
export const clientSchema = z
  .object({
    kind: z.enum(['api_key', 'application']),
    id: z.string().describe('Id of the API key or application.'),
    name: z
      .string()
      .nullable()
      .describe('null when it was deleted and its name is no longer known, after 90 days at the latest.'),
    exists: z.boolean().describe('Whether it still has access to the business.'),
    isOwn: z.boolean().describe('Whether the business owns it: its API key, or an app that it registered.'),
  })
  .meta({ id: 'Caller' });

/** Client as the dashboard API returns it. */
export function toClient({ kind, id, name, exists, isOwn }: Client): z.input<typeof clientSchema> {
  return { kind, id, name: name ?? null, exists, isOwn };
}

const count = z.int().min(0);

/** Responses in one hour, by status class. */
export const usageHour = z
  .object({
    start: instant.describe('Start of the hour, UTC.'),
    count2xx: count.describe('Responses with status below 400.'),
    count4xx: count.describe('Responses with status 400 to 499 except 429.'),
    count429: count,
    count5xx: count,
  })
  .meta({ id: 'UsageHour' });

/** Requests from one address. */
export const addressUse = z
  .object({
    address: z.string().nullable().describe('null for all others together.'),
    requests: count,
    successes: count.describe('Responses with status below 400.'),
    lastSuccessAt: instantOrNull,
  })
  .meta({ id: 'AddressUse' });

/** Requests from an address; the empty address of all others together becomes null. */
export function toAddressUse({ address, ...use }: AddressUse): z.input<typeof addressUse> {
  return { ...use, address: address || null };
}

/** Query of operations that return counts by hour. */
export const hourlySpan = z
  .strictObject({
    from: givenInstant.describe('Hours that begin at or after this time.'),
    to: givenInstant.describe('Hours that begin before this time.'),
  })
  .refine(({ from, to }) => from < to, { path: ['to'], error: 'must be after from' })
  .refine(({ from, to }) => to - from <= maxHourlySpanMs, {
    path: ['from'],
    error: 'must be at most 90 days before to',
  });
