import { isRefusal, type Refusal } from '@platform/protos/vocabulary';
import type { RequestRecord } from './request-log.ts';
import type { Client } from './usage.ts';

/** A record, and whose credential it was as far as that is still known. */
export interface RequestWithClient {
  readonly record: RequestRecord;
  /** undefined when the credential is unknown. */
  readonly client: Client | undefined;
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

/**
 * What a request goes through, in this order: `request` (it can be read in one way only), `credential` (one was sent),
 * `format`, `found`, `expired`, `frozen` (its business), `address`, `scope`, `limit`, `route` (path and method exist),
 * `upstream` (the service behind the gateway answered below 400).
 */
export const checks = [
  'request',
  'credential',
  'format',
  'found',
  'expired',
  'frozen',
  'address',
  'scope',
  'limit',
  'route',
  'upstream',
] as const;

export type Check = (typeof checks)[number];

interface CheckOutcome {
  readonly check: Check;
  readonly outcome: 'passed' | 'failed' | 'not_reached';
}

/** The check behind each refusal that stands for one. */
const checkOf: Readonly<Partial<Record<Refusal, Check>>> = {
  missing: 'credential',
  malformed: 'format',
  unknown: 'found',
  unknown_limited: 'found',
  authorization_unavailable: 'found',
  expired: 'expired',
  business_frozen: 'frozen',
  ip_not_allowed: 'address',
  insufficient_scope: 'scope',
  rate_limited: 'limit',
  no_route: 'route',
};

/** The decision about a refused or failed request, check by check. */
export function decisionOf(record: Pick<RequestRecord, 'refusal' | 'credentialId'>): CheckOutcome[] {
  const failed = checks.indexOf(failedCheck(record));
  return checks.map((check, index) => ({ check, outcome: outcomeAt(index, failed) }));
}

function outcomeAt(index: number, failed: number): CheckOutcome['outcome'] {
  if (index === failed) return 'failed';
  return index < failed ? 'passed' : 'not_reached';
}

function failedCheck({ refusal, credentialId }: Pick<RequestRecord, 'refusal' | 'credentialId'>): Check {
  if (refusal === undefined) return 'upstream';
  const check = isRefusal(refusal) ? checkOf[refusal] : undefined;
  if (check !== undefined) return check;
  // Every other refusal is of the request itself before its credential is checked, and of forwarding it afterwards.
  if (credentialId === undefined) return 'request';
  return refusal === 'method' ? 'route' : 'upstream';
}

/** What each check is about, as a statement that holds when it is passed. */
const words: Readonly<Record<Check, (record: RequestRecord) => string>> = {
  request: () => 'The request can be read in one way only',
  credential: () => 'A credential was sent',
  format: () => 'It has the form of a key or token',
  found: () => 'It exists',
  expired: () => 'It has not expired',
  frozen: () => 'API access of the business is not frozen',
  address: ({ credentialType, clientIp }) =>
    credentialType === 'access_token'
      ? `The address ${clientIp} is on the app’s IP whitelist`
      : 'The address is allowed: keys work from any',
  scope: ({ requiredScope }) =>
    requiredScope === undefined ? 'No scope is needed here' : `It has the scope ${requiredScope}`,
  limit: () => 'The limit of the rolling hour is not used up',
  route: ({ method }) => `The path exists, and takes ${method}`,
  upstream: () => 'The service behind the gateway did what was asked',
};

/** A check as a statement, for the person who reads the decision. */
export function describeCheck(check: Check, record: RequestRecord): string {
  return words[check](record);
}
