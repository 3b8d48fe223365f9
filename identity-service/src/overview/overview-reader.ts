import type { ApiKey } from '../api-keys/api-key.ts';

/** What a business has begun with. */
export interface StartFacts {
  /** An API key was made, whether it is still there or not. */
  readonly keyMade: boolean;
  /** A request succeeded within the last 90 days. */
  readonly firstCall: boolean;
  /** An application may act for the business, or one of its own for somebody. */
  readonly connected: boolean;
}

/** Requests that any rolling hour admits for an API key or Grant. */
export interface HourlyLimit {
  readonly limitId: string;
  readonly limit: number;
}

/** Days that the end of a key is worth a mention before and after it. */
export const expiryDays = 14;

/** What the overview of a business is made of, beside its traffic. */
export interface OverviewReader {
  startFacts(businessId: number): Promise<StartFacts>;
  /** Keys that end or have ended within `expiryDays`, the first to end first; 20 at most. */
  endingKeys(businessId: number): Promise<ApiKey[]>;
  /** Limits of which this share or more was used when a gateway last saw it, in the last hour; 50 at most. */
  usedLimits(businessId: number, share: number): Promise<HourlyLimit[]>;
}
