import { OAuthError } from '../oauth-error.ts';
import { requireParameter } from '../parameters.ts';
import { exchangeCode } from './exchange-code.ts';
import { refreshTokens } from './refresh-tokens.ts';
import type { TokenDeps } from './token-deps.ts';
import type { TokenPair } from './token-pair.ts';
import type { TokenRequest } from './token-request.ts';

type GrantType = (deps: TokenDeps, request: TokenRequest) => Promise<TokenPair>;

const grantTypes: ReadonlyMap<string, GrantType> = new Map([
  ['authorization_code', exchangeCode],
  ['refresh_token', refreshTokens],
]);

/** Every grant type that the token endpoint knows. */
export const grantTypeNames: readonly string[] = [...grantTypes.keys()];

/** Answers a token request by its grant type. @throws OAuthError */
export function issueTokens(deps: TokenDeps, request: TokenRequest): Promise<TokenPair> {
  const grantType = grantTypes.get(requireParameter(request.parameters, 'grant_type'));
  if (grantType === undefined) {
    throw new OAuthError('unsupported_grant_type', `grant_type must be one of: ${grantTypeNames.join(', ')}`);
  }
  return grantType(deps, request);
}
