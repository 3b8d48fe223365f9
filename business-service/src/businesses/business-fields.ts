import { z } from 'zod';
import { textField } from '../text-field.ts';
import { maxBusinessId } from './business.ts';

// Fields of rpc requests, as the comments in business.proto promise them.

export const businessId = z.int().min(1).max(maxBusinessId);

const username = z
  .string()
  .regex(/^[a-z][a-z0-9-]{2,31}$/, 'must be 3 to 32 of a-z, 0-9 and hyphen, starting with a letter');

const logo = z.union([
  z.literal(''),
  z
    .url({ protocol: /^https$/, error: 'must be an https URL' })
    .max(2048, 'must have at most 2048 characters'),
]);

const country = z.string().regex(/^[A-Z]{2}$/, 'must be an ISO 3166-1 alpha-2 code');

const creationKey = z.union([z.literal('').transform(() => null), textField(100)]);

export const businessDraft = z.object({ accountHolder: textField(200), username, logo, creationKey });

export const legalFacts = z.object({
  legalName: textField(200),
  registrationNumber: textField(100),
  country,
});

export const rejectionReason = textField(500);
