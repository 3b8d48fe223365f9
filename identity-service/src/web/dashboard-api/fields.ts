import { timestampField } from '@platform/service-kit/values/timestamp.ts';
import { z } from 'zod';
import type { BusinessProfile } from '../../clients/business.ts';
import { roles } from '../../platform/role.ts';
import { formatTime, maxInstant, minInstant } from '../../platform/text.ts';

const rfc3339 = z.string().meta({ format: 'date-time' });

/** A time in a response: milliseconds since 1970 inside, RFC 3339 in UTC on the wire. */
export const instant = z.number().transform(formatTime).pipe(rfc3339);

/** The same, optional: `null` on the wire. */
export const instantOrNull = z
  .number()
  .optional()
  .transform((ms) => (ms === undefined ? null : formatTime(ms)))
  .pipe(rfc3339.nullable());

/** A time in a request: RFC 3339 on the wire, milliseconds since 1970 inside. */
export const givenInstant = timestampField
  .transform((date) => date.getTime())
  .refine((ms) => minInstant <= ms && ms <= maxInstant, 'must be in the years 1 to 9999, in UTC');

/** Body of an act that stops something until it is lifted. */
export const suspensionBody = z.strictObject({
  reason: z
    .string()
    .default('')
    .describe('One line of at most 200 characters. An existing suspension keeps its reason.'),
});

/** Result of a change that ends access. */
export const propagation = z
  .enum(['confirmed', 'pending'])
  .describe('Whether every gateway knows; pending: they confirm within 30 seconds.')
  .meta({ id: 'Propagation' });

/** Role of a person in a business. */
export const roleSchema = z.enum(roles).meta({ id: 'Role' });

/** Public names of another business. */
export const businessNameSchema = z
  .object({ name: z.string(), username: z.string() })
  .meta({ id: 'BusinessName' });

/** Public names of a business; null while business-service is unavailable. */
export function businessName(
  profile: BusinessProfile | undefined,
): z.input<typeof businessNameSchema> | null {
  return profile === undefined ? null : { name: profile.accountHolder, username: profile.username };
}

/** Name of a scope, which the API may have no longer. */
export const scopeSchema = z.string().meta({ id: 'Scope' });
