import { isIP } from 'node:net';
import { z } from 'zod';
import type { Actor } from './actor.ts';

/** Identifier of a business. */
export const businessId = z.int().min(1, 'must be the identifier of a business');

/** An IPv4 or IPv6 address; the empty string for none. */
const optionalAddress = z
  .string()
  .refine((address) => address === '' || isIP(address) !== 0, 'must be an IP address')
  .transform((address) => address || undefined);

const actorSchema = z.object(
  {
    kind: z.enum(['operator', 'person', 'system']),
    id: z.string().regex(/^[^\p{Cc}]{1,200}$/u, 'must be 1 to 200 characters'),
    clientIp: optionalAddress,
  },
  'is missing',
);

/** The actor of a request, for the audit log. */
export function actorOf(requestId: string) {
  return actorSchema.transform((actor): Actor => ({ ...actor, requestId }));
}

/** A time in milliseconds since 1970, up to the year 9999; 0 for none. */
export const optionalInstant = z
  .int()
  .min(0)
  .max(253_402_300_799_999)
  .transform((instant) => instant || undefined);
