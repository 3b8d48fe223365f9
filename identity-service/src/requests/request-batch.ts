import { isIP } from 'node:net';
import { z } from 'zod';
import type { RequestRecord } from './request-record.ts';

const maxRecords = 1_000;

/** The empty string stands for what is not known. */
const optional = (shape: RegExp) =>
  z
    .string()
    .regex(shape)
    .transform((text) => text || undefined);
const identifier = optional(/^[0-9A-Za-z_-]{0,64}$/);

const requestRecordSchema = z.object({
  id: z.uuid(),
  at: z.int().min(0).max(253_402_300_799_999),
  businessId: z
    .int()
    .min(0)
    .transform((id) => id || undefined),
  method: z.string().regex(/^[A-Z-]{1,32}$/),
  path: z.string().regex(/^[\x20-\x7e]{0,200}$/),
  route: z.string().max(200),
  status: z.int().min(400).max(599),
  refusal: optional(/^[0-9A-Za-z_]{0,64}$/),
  credentialType: z
    .enum(['secret_key', 'restricted_key', 'access_token', ''])
    .transform((type) => type || undefined),
  credentialId: identifier,
  limitId: identifier,
  clientIp: z.string().refine((text) => isIP(text) !== 0, 'must be an IP address'),
  requiredScope: optional(/^[a-z:_]{0,64}$/),
}) satisfies z.ZodType<RequestRecord>;

/** What a gateway reports at once. */
export const requestBatchSchema = z.array(requestRecordSchema).max(maxRecords);
