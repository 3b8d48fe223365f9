import { z } from 'zod';
import { type AddressUse, maxHourlySpanMs } from '../../usage/usage-reader.ts';
import { givenInstant, instant, instantOrNull } from './instant.ts';

const count = z.int().min(0);

/** Answers of one hour, by class. Hours without a request are left out. */
export const usageHour = z
  .object({
    start: instant.describe('Start of the hour, UTC.'),
    count2xx: count.describe('Answers below 400.'),
    count4xx: count.describe('Answers 400 to 499 but 429.'),
    count429: count,
    count5xx: count,
  })
  .meta({ id: 'UsageHour' });

/** What came from one address. */
export const addressUse = z
  .object({
    address: z.string().nullable().describe('null for all others together.'),
    requests: count,
    successes: count.describe('Answers below 400.'),
    lastSuccessAt: instantOrNull,
  })
  .meta({ id: 'AddressUse' });

/** What gateways did not tell apart stands under an empty text. */
export function toAddressUse({ address, ...use }: AddressUse): z.input<typeof addressUse> {
  return { ...use, address: address || null };
}

/** Query of an operation that counts by the hour. */
export const hourlySpan = z
  .strictObject({
    from: givenInstant.describe('The hours that begin at this moment or later.'),
    to: givenInstant.describe('The hours that begin before this moment.'),
  })
  .refine(({ from, to }) => from < to, { path: ['to'], error: 'must be after from' })
  .refine(({ from, to }) => to - from <= maxHourlySpanMs, {
    path: ['from'],
    error: 'must be at most 90 days before to',
  });
