import { createHash, timingSafeEqual } from 'node:crypto';
import { OAuthError } from './oauth-error.ts';

/** Base64url of 32 bytes. Its last character carries only four bits, so only every fourth character is possible there. */
const challengeShape = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** @throws OAuthError invalid_request unless it can be the S256 hash of a verifier */
export function checkChallengeFormat(candidate: string): string {
  if (!challengeShape.test(candidate)) {
    throw new OAuthError(
      'invalid_request',
      'code_challenge must be the base64url SHA-256 hash of the verifier: 43 characters without padding',
    );
  }
  return candidate;
}

/** Whether a verifier hashes to the challenge (RFC 7636 section 4.6, S256). */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  const hash = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  const expected = Buffer.from(challenge);
  return hash.length === expected.length && timingSafeEqual(hash, expected);
}

/** RFC 7636 section 4.1: 43 to 128 unreserved characters. */
const verifierShape = /^[A-Za-z0-9._~-]{43,128}$/;

/** @throws OAuthError invalid_request unless it has the form of a verifier; `matchesChallenge` compares it */
export function checkVerifierFormat(candidate: string): string {
  if (!verifierShape.test(candidate)) {
    throw new OAuthError(
      'invalid_request',
      'code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~',
    );
  }
  return candidate;
}
