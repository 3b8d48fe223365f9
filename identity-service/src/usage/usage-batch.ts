import { isIP } from 'node:net';
import { z } from 'zod';
import { isScope } from '../authorization/scope.ts';

const maxCounts = 5_000;
const minuteMs = 60_000;

/** Milliseconds since 1970, up to the year 9999. */
const instant = z.int().min(0).max(253_402_300_799_999);
const count = z.int().min(0).max(4_294_967_295);

const usageCountSchema = z.object({
  businessId: z.int().min(1),
  credentialType: z.enum(['secret_key', 'restricted_key', 'access_token']),
  credentialId: z.string().regex(/^[0-9A-Za-z_-]{1,64}$/),
  minute: instant.refine((value) => value % minuteMs === 0, 'must be the start of a minute'),
  count2xx: count,
  count4xx: count,
  count429: count,
  count5xx: count,
  lastUsedAt: instant,
  lastUsedIp: z.string().refine((address) => isIP(address) !== 0, 'must be an IP address'),
  // One that we do not know comes from a gateway that is ahead of us.
  scopesUsed: z
    .array(z.string())
    .max(100)
    .transform((scopes) => scopes.filter(isScope)),
});

/** The answers that one credential got in one minute. Times are milliseconds since 1970. */
export type UsageCount = z.output<typeof usageCountSchema>;

/** What a gateway reports at once. */
export const usageBatchSchema = z.object({
  batchId: z.uuid(),
  counts: z
    .array(usageCountSchema)
    .max(maxCounts)
    .refine(
      (counts) => new Set(counts.map((c) => `${c.credentialId} ${c.minute}`)).size === counts.length,
      'a credential and minute may stand only once',
    ),
});

export type UsageBatch = z.output<typeof usageBatchSchema>;

/** Where usage is kept. */
export interface UsageStore {
  /** Adds a batch, unless one with its id was added before. */
  addOnce(batch: UsageBatch): Promise<void>;
}
