import type { Caller } from '../usage/caller.ts';
import type { RequestRecord } from './request-record.ts';

/** A record, and whose credential it was as far as that is still known. */
export interface KnownRequest {
  readonly record: RequestRecord;
  /** undefined when the credential is unknown. */
  readonly caller: Caller | undefined;
}

/** The page of the dashboard where something can be changed. */
export interface Remedy {
  readonly page: 'api_key' | 'api_keys' | 'application' | 'connected' | 'business';
  /** Of the API key or application. */
  readonly id?: string;
}

/** What went wrong with a request, for people. */
export interface Explanation {
  /** In a few words. */
  readonly title: string;
  /** What happened. */
  readonly problem: string;
  /** What to do about it. */
  readonly advice: string;
  /** Its place on the page about errors. */
  readonly anchor: string;
  /** Where it is mended; undefined where the dashboard cannot help. */
  readonly remedy?: Remedy | undefined;
}
