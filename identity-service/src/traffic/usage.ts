import { isIP } from 'node:net';
import { z } from 'zod';
import { maxInstant } from '../platform/text.ts';

const maxCounts = 5_000;

const minuteMs = 60_000;

/** Milliseconds since 1970, up to the year 9999. */
const instant = z.int().min(0).max(maxInstant);

const count = z.int().min(0).max(4_294_967_295);

const address = z.string().refine((text) => isIP(text) !== 0, 'must be an IP address');

/** The empty string stands for all others together: gateways count the busiest separately. */
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
    scopesUsed: z.array(z.string()).max(100),
    addresses: z.array(addressCountSchema).max(100),
    endpoints: z.array(endpointCountSchema).max(100),
    limitUsed: count,
    limitObservedAt: instant,
  })
  // An older gateway sends no limit id; that of an API key is its own id.
  .transform((usage) => {
    const isOwn = usage.limitId === '' && usage.credentialType !== 'access_token';
    return isOwn ? { ...usage, limitId: usage.credentialId } : usage;
  });

/**
 * Responses to one credential in one minute. Times are milliseconds since 1970. From an older gateway `limitId` of a Grant,
 * `addresses` and `endpoints` are empty, and `limitObservedAt` is 0.
 */
export type UsageCount = z.output<typeof usageCountSchema>;

/** One report of a gateway. */
export const usageBatchSchema = z.object({
  batchId: z.uuid(),
  counts: z
    .array(usageCountSchema)
    .max(maxCounts)
    .refine(
      (counts) => new Set(counts.map((c) => `${c.credentialId} ${c.minute}`)).size === counts.length,
      'a credential and minute may occur only once',
    ),
});

export type UsageBatch = z.output<typeof usageBatchSchema>;

/** A client of a business: an API key, or an application by its Grant. */
export interface Client {
  /** Id of the API key or Grant whose limit its requests count against; of OAuth requests and of changes the application. */
  readonly limitId: string;
  readonly kind: 'api_key' | 'application';
  /** Id of the API key or application; the limit id when it was deleted. */
  readonly id: string;
  /** Undefined when it was deleted and its name is no longer known, after 90 days at the latest. */
  readonly name: string | undefined;
  /** Whether it still has access. */
  readonly exists: boolean;
  /** Whether the business owns it: its API key, or an application that it registered. */
  readonly isOwn: boolean;
}

/** Finds the clients of limit ids of a business, in their order. */
export type FindClients = (businessId: number, limitIds: readonly string[]) => Promise<readonly Client[]>;

/** A deleted client by its limit id. */
export function deletedClient(limitId: string): Client {
  const kind = limitId.startsWith('key_') ? 'api_key' : 'application';
  return { limitId, kind, id: limitId, name: undefined, exists: false, isOwn: false };
}

/** Longest span that can be read hour by hour, in milliseconds. */
export const maxHourlySpanMs = 90 * 24 * 3_600_000;

/** Time span in milliseconds since 1970: `from` is inclusive, `to` exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Responses by status class. */
export interface ResponseCounts {
  /** Status below 400. */
  readonly count2xx: number;
  /** Status 400 to 499 except 429. */
  readonly count4xx: number;
  readonly count429: number;
  readonly count5xx: number;
}

/** Responses in one hour. */
export interface UsageHour extends ResponseCounts {
  /** Start of the hour (UTC), milliseconds since 1970. */
  readonly start: number;
}

/** Responses to one API key or Grant in one hour. */
export interface UsagePoint extends UsageHour {
  /** API key or Grant; empty for all others together, and for counts without a limit id. */
  readonly limitId: string;
}

/** Requests with any status until now. */
export interface RecentCalls {
  readonly lastHour: number;
  readonly lastDay: number;
}

/** Requests from one address. */
export interface AddressUse {
  /** Empty for all others together: gateways count a limited number of addresses per minute. */
  readonly address: string;
  readonly requests: number;
  /** Responses with status below 400. */
  readonly successes: number;
  /** Milliseconds since 1970; undefined when no request succeeded. */
  readonly lastSuccessAt: number | undefined;
}

/** Requests to one route of the gateway's route table. */
export interface EndpointUse {
  /** Empty, like the route, for all others together. */
  readonly method: string;
  /** Such as `/v2/order/{id}`; `none` for unknown paths. */
  readonly route: string;
  readonly requests: number;
}

/** Last use of a scope. */
export interface ScopeUse {
  readonly limitId: string;
  readonly scope: string;
  /** Milliseconds since 1970. */
  readonly lastUsedAt: number;
}

/** Use of the limit of an API key or Grant in the rolling hour. */
export interface RollingHourUse {
  readonly limitId: string;
  /** Lower bound of the requests in the current rolling hour. 0 when none was counted in the last 61 minutes. */
  readonly used: number;
  /** When a gateway observed it, milliseconds since 1970. */
  readonly observedAt: number | undefined;
}
