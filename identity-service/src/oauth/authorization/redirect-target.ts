import type { OAuthErrorCode } from '../oauth-error.ts';
import type { ReturnAddress } from './authorization-request.ts';

/** What an application is told at its redirect URI. */
export type AuthorizationAnswer =
  | { readonly code: string }
  | { readonly error: OAuthErrorCode; readonly description: string };

/**
 * The address that the browser is sent to (RFC 6749 section 4.1.2, RFC 9207). The state goes back as it came, without
 * being decoded and encoded again.
 * @param issuer names this authorization server
 */
export function redirectTarget(
  { redirectUri, state }: ReturnAddress,
  answer: AuthorizationAnswer,
  issuer: string,
): string {
  const parameters = new URLSearchParams(
    'code' in answer
      ? { code: answer.code }
      : { error: answer.error, error_description: visibleAscii(answer.description) },
  );
  const echoed = state === undefined ? '' : `&state=${escapeForeign(state)}`;
  return `${redirectUri}${separator(redirectUri)}${parameters}${echoed}&iss=${encodeURIComponent(issuer)}`;
}

function separator(uri: string): string {
  if (!uri.includes('?')) return '?';
  return /[?&]$/.test(uri) ? '' : '&';
}

/** Characters that a query cannot hold (RFC 3986 section 3.4), byte by byte; Node reads a request line as Latin-1. */
function escapeForeign(text: string): string {
  return text.replace(/[^!$&'()*+,\-./0-9:;=?@A-Z_a-z~%]/g, (character) => {
    const bytes = Buffer.from(character, 'latin1');
    return `%${bytes.toString('hex').toUpperCase()}`;
  });
}

/** RFC 6749 section 4.1.2.1: error_description is visible ASCII without `"` and `\`. */
function visibleAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]|["\\]/g, '?');
}
