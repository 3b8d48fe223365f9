import { OAuthError } from '../oauth-error.ts';

/** RFC 7636 section 4.1: 43 to 128 unreserved characters. */
const verifierShape = /^[A-Za-z0-9._~-]{43,128}$/;

/** @throws OAuthError invalid_request unless it can be a verifier at all; whether it is the right one is another question */
export function checkVerifierFormat(candidate: string): string {
  if (!verifierShape.test(candidate)) {
    throw new OAuthError(
      'invalid_request',
      'code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~',
    );
  }
  return candidate;
}
