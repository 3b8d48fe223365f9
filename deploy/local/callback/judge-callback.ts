import type { Pending } from './visit.ts';

export type CallbackVerdict =
  | { readonly kind: 'code'; readonly code: string; readonly codeVerifier: string }
  /** The platform, or the person, said no. */
  | { readonly kind: 'denied'; readonly reason: string }
  /** Not an answer to what this browser asked. */
  | { readonly kind: 'foreign'; readonly reason: string };

/**
 * What a callback is worth (contract 4.2, RFC 9207): it counts only with the state of this browser's own request, and from
 * the platform that the request went to.
 */
export function judgeCallback(
  query: URLSearchParams,
  pending: Pending | undefined,
  issuer: string,
): CallbackVerdict {
  if (pending === undefined) {
    return { kind: 'foreign', reason: 'this browser has not asked for anything, or has been answered' };
  }
  if (query.get('state') !== pending.state) {
    return { kind: 'foreign', reason: 'state is not the one that was sent' };
  }
  if (query.get('iss') !== issuer) {
    return { kind: 'foreign', reason: `iss is not ${issuer}` };
  }
  const error = query.get('error');
  if (error !== null) {
    return { kind: 'denied', reason: [error, query.get('error_description') ?? ''].join(': ') };
  }
  const code = query.get('code');
  return code === null
    ? { kind: 'denied', reason: 'there is neither a code nor an error' }
    : { kind: 'code', code, codeVerifier: pending.codeVerifier };
}
