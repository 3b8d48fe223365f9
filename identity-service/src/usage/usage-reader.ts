/** Longest span that can be read hour by hour, in milliseconds. */
export const maxHourlySpanMs = 90 * 24 * 3_600_000;

/** From a moment, itself included, to another, itself not. Milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Answers by class. */
export interface AnswerCounts {
  /** Answers below 400. */
  readonly count2xx: number;
  /** Answers 400 to 499 but 429. */
  readonly count4xx: number;
  readonly count429: number;
  readonly count5xx: number;
}

/** Answers in one hour. */
export interface UsageHour extends AnswerCounts {
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

/**
 * What is known of a business's traffic: a few seconds old, since gateways report in batches. What belongs to another
 * business is never in it. Limit ids are those of API keys and Grants.
 */
export interface UsageReader {
  /**
   * Answers by hour and limit id, oldest first; hours without a request are left out. At most `maxHourlySpanMs`. The 20
   * busiest limit ids stand for themselves, all others together are ''. With `limitIds`, only these.
   */
  perHour(businessId: number, span: Span, limitIds?: readonly string[]): Promise<UsagePoint[]>;
  /**
   * Requests of one API key or Grant, of all where none is named, in the last hour and in the last 24 hours on the
   * database's clock.
   */
  recentCalls(businessId: number, limitId?: string): Promise<RecentCalls>;
  /** Addresses, most used first, at most 100; kept by the hour for 30 days, so `since` is rounded down to its hour. */
  addresses(businessId: number, limitIds: readonly string[], since: number): Promise<AddressUse[]>;
  /**
   * Answers that an application got by the hour, whichever businesses connected it; as `perHour`. `businessId` is the
   * owner of the application.
   */
  applicationPerHour(businessId: number, applicationId: string, span: Span): Promise<UsageHour[]>;
  /**
   * Addresses from which an application called, whichever businesses connected it; as `addresses`, but the latest success
   * first, and at most 200. `businessId` is the owner of the application.
   */
  applicationAddresses(businessId: number, applicationId: string, since: number): Promise<AddressUse[]>;
  /** Routes, most used first, at most 100; as `addresses`. */
  endpoints(businessId: number, limitIds: readonly string[], since: number): Promise<EndpointUse[]>;
  /** Scopes that were really used, by limit id and scope. */
  scopeUses(businessId: number, limitIds: readonly string[]): Promise<ScopeUse[]>;
  /** One entry per limit id that is asked for, in that order; unknown ones have used nothing. */
  rollingHours(businessId: number, limitIds: readonly string[]): Promise<RollingHourUse[]>;
}
