import { invalidReasons, type Refusal, refusals } from '@platform/protos/vocabulary';
import { explainGroup } from './explain.ts';
import { credentialRefusals } from './explain-credential.ts';
import { isOAuthReason, type OAuthReason, oauthReasons } from './oauth-reason.ts';
import type { RequestFilter } from './request-log.ts';

/** Reasons of requests that no credential or application is known of: they are in the list of no business. */
const unattributed: ReadonlySet<string> = new Set<Refusal | OAuthReason>([
  ...(['ambiguous_path', 'authorization_header', 'content_length', 'expectation', 'framing'] as const),
  ...(['host_header', 'http_version', 'length_required', 'missing', 'malformed', 'overloaded'] as const),
  ...(['oauth_unreadable', 'client_unknown'] as const),
]);

/** Reasons that stand for a status, because responses of a service have none of their own. */
const statuses: ReadonlyMap<string, RequestFilter> = new Map([
  ['invalid_request', { reasonStatus: 400 }],
  ['not_found', { reasonStatus: 404 }],
  ['conflict', { reasonStatus: 409 }],
  ['gone', { reasonStatus: 410 }],
  ['precondition_failed', { reasonStatus: 412 }],
  ['body_too_large', { reasonStatus: 413 }],
  ['unsupported_media_type', { reasonStatus: 415 }],
  ['unprocessable', { reasonStatus: 422 }],
  ['client_closed', { reasonStatus: 499 }],
  // Requests with a reason may have these statuses, too.
  ['business_banned', { reasonStatus: 403, refusal: 'none' }],
  ['internal_error', { reasonStatus: 500, refusal: 'none' }],
  ['service_unavailable', { reasonStatus: 503, refusal: 'none' }],
]);

/** The requests that a reason stands for. */
export function conditionsOf(reason: string | undefined): RequestFilter {
  return statuses.get(reason ?? '') ?? { refusal: reason };
}

/** Words of reasons whose title depends on the request. */
const varying: ReadonlyMap<string, string> = new Map([
  ['unknown', 'An old key or token'],
  ['expired', 'The key or token has expired'],
  ['method', 'The method is not allowed here'],
  ['invalid_body', 'A field is missing or not valid'],
  ['invalid_request', 'The request is invalid (400)'],
  ['not_found', 'Not found (404)'],
]);

/** Every reason that a request of a business may have, in the words of the list; those of its credential first. */
export function listReasons(): { readonly reason: string; readonly words: string }[] {
  const ofCredentials = Object.keys(credentialRefusals);
  const known = [...ofCredentials, ...invalidReasons, ...statuses.keys(), ...refusals, ...oauthReasons];
  const listed = new Set(known.filter((reason) => !unattributed.has(reason)));
  return [...listed].map((reason) => ({ reason, words: varying.get(reason) ?? titleOf(reason) }));
}

function titleOf(reason: string): string {
  const { reasonStatus: status = 0 } = conditionsOf(reason);
  const refusal = status === 0 ? reason : undefined;
  const { title } = explainGroup({ method: '', route: '', status, refusal }, undefined);
  return isOAuthReason(reason) ? `OAuth: ${title}` : title;
}
