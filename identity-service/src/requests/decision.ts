import type { RequestRecord } from './request-record.ts';

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

export interface CheckOutcome {
  readonly check: Check;
  readonly outcome: 'passed' | 'failed' | 'not_reached';
}

/** The check behind each word of the gateway that stands for one. */
const checkOf: Readonly<Record<string, Check>> = {
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
  const check = checkOf[refusal];
  if (check !== undefined) return check;
  // All other words tell of the request itself before its credential is looked at, and of forwarding it afterwards.
  if (credentialId === undefined) return 'request';
  return refusal === 'method' ? 'route' : 'upstream';
}
