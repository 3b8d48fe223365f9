import { isRefusal, type Refusal } from '@platform/protos/vocabulary';
import {
  type OAuthCheck,
  oauthCheckOf,
  oauthChecks,
  oauthChecksOf,
  oauthStatements,
} from './oauth-checks.ts';
import { isOAuthReason } from './oauth-reason.ts';
import type { RequestRecord } from './request-log.ts';
import type { RetiredEnd } from './retired-string.ts';
import type { Client } from './usage.ts';

/** A recorded request and the client that sent it. */
export interface RequestWithClient {
  readonly record: RequestRecord;
  /** Undefined when the credential is unknown. */
  readonly client: Client | undefined;
  /** Of a retired string, the latest ends of strings of its credential before the request, the last first. */
  readonly ends?: readonly RetiredEnd[];
}

/** Page of the dashboard where it can be fixed. */
export interface Remedy {
  readonly page: 'api_key' | 'api_keys' | 'application' | 'connected' | 'business';
  /** Id of the API key or application. */
  readonly id?: string;
}

/** Explanation of an error, for the dashboard. */
export interface Explanation {
  /** In a few words. */
  readonly title: string;
  /** The problem, in one or two sentences. */
  readonly problem: string;
  /** How to fix it; `{support}` stands for the address for questions. */
  readonly advice: string;
  /** Anchor in the documentation of errors. */
  readonly anchor: string;
  /** Undefined when it cannot be fixed in the dashboard. */
  readonly remedy?: Remedy | undefined;
}

/**
 * Checks of an API request, in this order: `request` (over https, unambiguous), `credential` (one was sent), `format`, `found`, `expired`,
 * `limit` (a request that a later check refuses has counted), `frozen` (its business), `suspended` (its application or connection; a key itself frozen),
 * `address`, `scope`, `route` (path and method exist), `upstream` (status below 400).
 */
export const apiChecks = [
  'request',
  'credential',
  'format',
  'found',
  'expired',
  'limit',
  'frozen',
  'suspended',
  'address',
  'scope',
  'route',
  'upstream',
] as const;

type ApiCheck = (typeof apiChecks)[number];

export type Check = ApiCheck | OAuthCheck;

/** Every check of a request, of whichever kind. */
export const checks: readonly Check[] = [...apiChecks, ...oauthChecks];

interface CheckOutcome {
  readonly check: Check;
  readonly outcome: 'passed' | 'failed' | 'not_reached';
}

/** Failed check by refusal; other refusals depend on when they happened. */
const checkOf: Readonly<Partial<Record<Refusal, ApiCheck>>> = {
  plain_http: 'request',
  missing: 'credential',
  malformed: 'format',
  unknown: 'found',
  unknown_limited: 'found',
  authorization_unavailable: 'found',
  expired: 'expired',
  business_frozen: 'frozen',
  key_frozen: 'suspended',
  application_suspended: 'suspended',
  connection_suspended: 'suspended',
  ip_not_allowed: 'address',
  insufficient_scope: 'scope',
  rate_limited: 'limit',
  no_route: 'route',
};

/** Whether a request with a known credential passed a check. @param refusal of its record */
export function hasPassed(check: (typeof apiChecks)[number], refusal: string | undefined): boolean {
  const failed = refusal !== undefined && isRefusal(refusal) ? checkOf[refusal] : undefined;
  return failed === undefined || apiChecks.indexOf(failed) > apiChecks.indexOf(check);
}

type Decided = Pick<RequestRecord, 'refusal' | 'credentialId' | 'route' | 'status'>;

/** Whether a request was refused or failed: an authorization request may fail with a redirect. */
export function hasFailed({ refusal, status }: Pick<RequestRecord, 'refusal' | 'status'>): boolean {
  return refusal !== undefined || status >= 400;
}

/** Outcome of every check of a request. */
export function decisionOf(record: Decided): CheckOutcome[] {
  const { refusal } = record;
  const oauth = oauthChecksOf(record);
  if (!hasFailed(record)) return (oauth ?? apiChecks).map((check) => ({ check, outcome: 'passed' }));
  if (oauth !== undefined && refusal !== undefined && isOAuthReason(refusal)) {
    return outcomesOf(oauth, oauthCheckOf[refusal]);
  }
  if (oauth !== undefined && refusal === 'plain_http') return outcomesOf(['request', ...oauth], 'request');
  return outcomesOf(apiChecks, failedCheck(record));
}

function outcomesOf(inOrder: readonly Check[], failedCheck: Check): CheckOutcome[] {
  const failed = inOrder.indexOf(failedCheck);
  return inOrder.map((check, index) => ({ check, outcome: outcomeAt(index, failed) }));
}

function outcomeAt(index: number, failed: number): CheckOutcome['outcome'] {
  if (index === failed) return 'failed';
  return index < failed ? 'passed' : 'not_reached';
}

function failedCheck({ refusal, credentialId }: Decided): ApiCheck {
  if (refusal === undefined) return 'upstream';
  const check = isRefusal(refusal) ? checkOf[refusal] : undefined;
  if (check !== undefined) return check;
  // Without a credential the request itself was refused; with one, the refusal happened after authorization.
  if (credentialId === undefined) return 'request';
  return refusal === 'method' ? 'route' : 'upstream';
}

/** Statement about each check that is true when it passed. */
const statements: Readonly<Record<Check, (record: RequestRecord) => string>> = {
  ...oauthStatements,
  request: ({ refusal }) =>
    refusal === 'plain_http' ? 'The request came over https' : 'The request is unambiguous',
  credential: () => 'A credential was sent',
  format: () => 'It has the format of a key or token',
  found: () => 'It exists',
  expired: () => 'It has not expired',
  frozen: () => 'API access of the business is not frozen',
  suspended: ({ credentialType }) =>
    credentialType === 'access_token'
      ? 'Neither the app nor its connection is suspended'
      : 'The key itself is not frozen',
  address: ({ credentialType, clientIp }) =>
    credentialType === 'access_token'
      ? `The address ${clientIp} is on the app’s IP whitelist`
      : `The key may be used from the address ${clientIp}`,
  scope: ({ requiredScope }) =>
    requiredScope === undefined ? 'No scope is required' : `It has the scope ${requiredScope}`,
  limit: () => 'The limit of the rolling hour is not reached',
  route: ({ method }) => `The path exists and supports ${method}`,
  upstream: () => 'The service processed the request',
};

/** Describes a check by a statement that is true when it passed. */
export function describeCheck(check: Check, record: RequestRecord): string {
  return statements[check](record);
}

/** Whether the credential of a request is an access token. */
export function isToken({ record }: RequestWithClient): boolean {
  return record.credentialType === 'access_token';
}

/** Page of the client of a request. */
export function remedyFor(client: Client | undefined): Remedy | undefined {
  if (client === undefined) return undefined;
  if (client.kind === 'api_key') {
    return client.exists ? { page: 'api_key', id: client.id } : { page: 'api_keys' };
  }
  return client.isOwn ? { page: 'application', id: client.id } : { page: 'connected' };
}
