import { endGrant } from '../../grants/end-grant.ts';
import { OAuthError } from '../oauth-error.ts';
import { requireParameter } from '../parameters.ts';
import { checkVerifierFormat } from '../pkce/code-verifier.ts';
import { type CodeClaim, findCodeFault } from './code-fault.ts';
import type { TokenDeps } from './token-deps.ts';
import { createTokenPair, type TokenPair } from './token-pair.ts';
import { actorOf, type TokenRequest } from './token-request.ts';
import type { TokenTransaction } from './token-store.ts';

type Exchange =
  | { readonly kind: 'issued'; readonly pair: TokenPair }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly ended?: Awaited<ReturnType<typeof endGrant>>;
    };

const unusable = 'the authorization code is not valid: unknown, expired or used before';

/**
 * Grant type authorization_code (RFC 6749 section 4.1.3, RFC 7636 section 4.5). A malformed verifier leaves the code
 * alone, a wrong one burns it, and a code that comes twice ends the Grant with everything issued from it.
 * @throws OAuthError
 */
export async function exchangeCode(deps: TokenDeps, request: TokenRequest): Promise<TokenPair> {
  const { parameters } = request;
  const code = requireParameter(parameters, 'code');
  const verifier = checkVerifierFormat(requireParameter(parameters, 'code_verifier'));
  const claim = { verifier, redirectUri: parameters.get('redirect_uri') };
  const hashes = deps.hasher.candidates(code);
  const exchange = await deps.tokens.inTransaction((transaction) =>
    exchangeWithin(transaction, deps, request, hashes, claim),
  );
  if (exchange.kind === 'issued') return exchange.pair;
  const { ended, reason } = exchange;
  if (ended !== undefined) await deps.propagate(ended.businessId, ended.generation);
  throw new OAuthError('invalid_grant', reason);
}

async function exchangeWithin(
  transaction: TokenTransaction,
  { hasher, lifetimes }: TokenDeps,
  request: TokenRequest,
  hashes: readonly Buffer[],
  claim: CodeClaim,
): Promise<Exchange> {
  const { client } = request;
  const code = await transaction.findCode(client.applicationId, hashes);
  if (code === undefined) return { kind: 'refused', reason: unusable };
  if (!(await transaction.consumeCode(code.hash))) {
    // Burned by another request meanwhile: nothing was issued from it.
    if (!(await transaction.isCodeUsed(code.hash))) return { kind: 'refused', reason: unusable };
    const ended = await endGrant(transaction, actorOf(request), code.grantId, 'code_reuse');
    return { kind: 'refused', reason: unusable, ended };
  }
  const scopes = code.scopes.filter((scope) => client.scopes.includes(scope));
  const fault = findCodeFault({ ...code, scopes }, claim);
  if (fault !== undefined) {
    await transaction.burnCode(code.hash);
    return { kind: 'refused', reason: fault === 'unusable' ? unusable : fault };
  }
  const terms = { grantId: code.grantId, scopes, refreshScopes: code.scopes };
  const { pair, stored } = createTokenPair(hasher, lifetimes, terms);
  await transaction.insertTokens(stored);
  return { kind: 'issued', pair };
}
