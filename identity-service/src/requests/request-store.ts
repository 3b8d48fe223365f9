import type { Page } from '../page.ts';
import type { RequestRecord } from './request-record.ts';

/** Which records of a business, newest first. */
export interface RequestQuery extends Page {
  /** Of this API key or Grant only. */
  readonly limitId?: string | undefined;
  readonly statusClass?: '4xx' | '5xx' | undefined;
  /** A word of the gateway, as `insufficient_scope`. */
  readonly refusal?: string | undefined;
  /** Answered at this moment or later; milliseconds since 1970. */
  readonly from?: number | undefined;
  /** Answered before this moment. */
  readonly to?: number | undefined;
}

/** Where refused and failed requests are kept, for seven days; for one day when nobody knows whose they were. */
export interface RequestStore {
  /** Adds records; one that is there already stays as it is. */
  addOnce(records: readonly RequestRecord[]): Promise<void>;
  list(businessId: number, query: RequestQuery): Promise<RequestRecord[]>;
  /**
   * A record of the business, or one of nobody's: its id is known only to whoever got the answer. Never one of another
   * business.
   */
  find(businessId: number, id: string): Promise<RequestRecord | undefined>;
}
