import { matchesChallenge } from '../pkce/code-challenge.ts';
import type { StoredCode } from './token-store.ts';

/** What a client says of the code that it brings. */
export interface CodeClaim {
  readonly verifier: string;
  /** Optional here (contract 4.3); where it is sent it must be the one of the authorization request. */
  readonly redirectUri: string | undefined;
}

/** Why a code that was used for the first time gives no tokens: `unusable`, or a sentence. Undefined when it does. */
export function findCodeFault(
  code: Pick<StoredCode, 'grantIsLive' | 'redirectUri' | 'challenge' | 'scopes' | 'expiresAt' | 'readAt'>,
  { verifier, redirectUri }: CodeClaim,
): string | undefined {
  if (!code.grantIsLive || code.readAt >= code.expiresAt) return 'unusable';
  if (redirectUri !== undefined && redirectUri !== code.redirectUri) {
    return 'redirect_uri is not the one of the authorization request';
  }
  if (!matchesChallenge(verifier, code.challenge)) return 'code_verifier does not match the code_challenge';
  if (code.scopes.length === 0) return 'the application may no longer ask for anything that was approved';
  return undefined;
}
