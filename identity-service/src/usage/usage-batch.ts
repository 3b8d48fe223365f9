import { isIP } from 'node:net';
import { z } from 'zod';
import { isScope } from '../authorization/scope.ts';

const maxCounts = 5_000;
const minuteMs = 60_000;

/** Milliseconds since 1970, up to the year 9999. */
const instant = z.int().min(0).max(253_402_300_799_999);
const count = z.int().min(0).max(4_294_967_295);

const address = z.string().refine((text) => isIP(text) !== 0, 'must be an IP address');
/** What a gateway did not tell apart stands under the empty string. */
const others = z.literal('');

const addressCountSchema = z.object({
  address: address.or(others),
  requests: count,
  successes: count,
  lastSuccessAt: instant,
});

const endpointCountSchema = z.object({
  method: z.string().regex(/^[A-Z-]{0,32}$/),
  route: z.string().max(200),
  requests: count,
});

const usageCountSchema = z
  .object({
    businessId: z.int().min(1),
    credentialType: z.enum(['secret_key', 'restricted_key', 'access_token']),
    credentialId: z.string().regex(/^[0-9A-Za-z_-]{1,64}$/),
    limitId: z.string().regex(/^[0-9A-Za-z_-]{0,64}$/),
    minute: instant.refine((value) => value % minuteMs === 0, 'must be the start of a minute'),
    count2xx: count,
    count4xx: count,
    count429: count,
    count5xx: count,
    lastUsedAt: instant,
    lastUsedIp: address,
    // One that we do not know comes from a gateway that is ahead of us.
    scopesUsed: z
      .array(z.string())
      .max(100)
      .transform((scopes) => scopes.filter(isScope)),
    addresses: z.array(addressCountSchema).max(100),
    endpoints: z.array(endpointCountSchema).max(100),
    limitUsed: count,
    limitObservedAt: instant,
  })
  // A gateway that is behind us does not say it; an API key is its own.
  .transform((sent) => {
    const isOwn = sent.limitId === '' && sent.credentialType !== 'access_token';
    return isOwn ? { ...sent, limitId: sent.credentialId } : sent;
  });

/**
 * The answers that one credential got in one minute. Times are milliseconds since 1970. Of a gateway that is behind us
 * `limitId` of a Grant, `addresses` and `endpoints` are empty, and `limitObservedAt` is 0.
 */
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
