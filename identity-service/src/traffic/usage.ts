import { isIP } from 'node:net';
import { z } from 'zod';
import { isScope } from '../platform/scope.ts';

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

/** An API key or a connected application, as those see it for whom it acts. */
export interface Client {
  /** What its requests are counted under. */
  readonly limitId: string;
  readonly kind: 'api_key' | 'application';
  /** The API key or the application; the limit id where it is gone. */
  readonly id: string;
  /** undefined where it is gone. */
  readonly name: string | undefined;
  /** Whether it may still act. */
  readonly exists: boolean;
  /** Whether the business looks after it: its API key, or an application that it has registered itself. */
  readonly isOwn: boolean;
}

/** Who stands behind limit ids of a business, in their order. */
export type FindClients = (businessId: number, limitIds: readonly string[]) => Promise<readonly Client[]>;

/** A caller that is gone: its limit id still tells what it was. */
export function deletedClient(limitId: string): Client {
  const kind = limitId.startsWith('key_') ? 'api_key' : 'application';
  return { limitId, kind, id: limitId, name: undefined, exists: false, isOwn: false };
}

/** Longest span that can be read hour by hour, in milliseconds. */
export const maxHourlySpanMs = 90 * 24 * 3_600_000;

/** From a moment, itself included, to another, itself not. Milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Answers by class. */
export interface ResponseCounts {
  /** Answers below 400. */
  readonly count2xx: number;
  /** Answers 400 to 499 but 429. */
  readonly count4xx: number;
  readonly count429: number;
  readonly count5xx: number;
}

/** Answers in one hour. */
export interface UsageHour extends ResponseCounts {
  /** Start of the hour (UTC), milliseconds since 1970. */
  readonly start: number;
}

/** Answers that one API key or Grant got in one hour. */
export interface UsagePoint extends UsageHour {
  /** The API key or the Grant; empty for all others together, and for what was counted before limit ids were. */
  readonly limitId: string;
}

/** Requests, whatever their answer, until now. */
export interface RecentCalls {
  readonly lastHour: number;
  readonly lastDay: number;
}

/** What came from one address. */
export interface AddressUse {
  /** Empty for all others together: gateways tell some addresses per minute apart, not all. */
  readonly address: string;
  readonly requests: number;
  /** Answers below 400. */
  readonly successes: number;
  /** Milliseconds since 1970; undefined when nothing succeeded. */
  readonly lastSuccessAt: number | undefined;
}

/** What went to one row of the gateway's route table. */
export interface EndpointUse {
  /** Empty, as the route, for all others together. */
  readonly method: string;
  /** The row's path, as `/v2/order/{id}`; `none` for paths without a row. */
  readonly route: string;
  readonly requests: number;
}

/** A scope that a request needed and had. */
export interface ScopeUse {
  readonly limitId: string;
  readonly scope: string;
  /** Milliseconds since 1970. */
  readonly lastUsedAt: number;
}

/** How much of its rolling hour an API key or Grant has used. */
export interface RollingHourUse {
  readonly limitId: string;
  /** Requests: never more than are in the hour now, seldom less. 0 when none was counted in the last 61 minutes. */
  readonly used: number;
  /** When a gateway saw that, milliseconds since 1970. */
  readonly observedAt: number | undefined;
}
