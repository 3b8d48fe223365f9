import { isIP } from 'node:net';
import { operators } from '@platform/protos/callers';
import { fieldsOf } from '@platform/protos/field-mask';
import { currentRequest } from '@platform/service-kit/request-context.ts';
import { z } from 'zod';
import { normalizeEmail, validateEmail } from '../people/person.ts';
import type { Actor } from './actor.ts';
import { maxInstant } from './text.ts';

/** Identifier of a business. */
export const businessId = z.int().min(1, 'must be the identifier of a business');

/** An email address as it is stored. */
export const emailAddress = z
  .string()
  .transform(normalizeEmail)
  .refine((address) => validateEmail(address) === undefined, 'must be an email address');

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

/**
 * The actor of a request, for the audit log. A client with a certificate acts as what it is: operators through their
 * processes, any other service as itself, whatever it says. Without certificates the client is believed.
 */
export function actorOf(requestId: string) {
  return actorSchema.transform((actor): Actor => {
    const caller = currentRequest()?.caller;
    if (caller === undefined) return { ...actor, requestId };
    if (operators.includes(caller)) return { ...actor, kind: 'operator', requestId };
    return { ...actor, kind: 'system', id: caller, requestId };
  });
}

/** A time in milliseconds since 1970, up to the year 9999; 0 for none. */
export const optionalInstant = z
  .int()
  .min(0)
  .max(maxInstant)
  .transform((instant) => instant || undefined);

/** The field mask of an update, as names of settings. @param names the settings there are; others are refused */
export function settingsMask<Name extends string>(names: readonly Name[]) {
  return z
    .object({ paths: z.array(z.string()) })
    .nullable()
    .transform(fieldsOf)
    .pipe(z.array(z.enum(names, 'no such setting')));
}
