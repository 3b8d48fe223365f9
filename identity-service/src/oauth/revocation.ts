import { endGrant } from '../credentials/grants/end-grant.ts';
import type { Actor } from '../platform/actor.ts';
import type { Propagation, RaisedGeneration } from '../platform/credential-generations.ts';
import { OAuthError } from './oauth-error.ts';
import { type Parameters, requireParameter } from './parameters.ts';
import { actorOf, type TokenDeps, type TokenRequest } from './token-request.ts';
import type { RevocableToken, TokenTransaction } from './token-store.ts';

const tokenTypes: readonly string[] = ['access_token', 'refresh_token'];

/** Contract 4.4 requires `token_type`; client libraries send `token_type_hint` (RFC 7009) in its place. */
function checkTokenType(parameters: Parameters): void {
  const tokenType = parameters.get('token_type') ?? parameters.get('token_type_hint');
  if (tokenType !== undefined && tokenTypes.includes(tokenType)) return;
  const problem = tokenType === undefined ? 'is missing: it' : 'is unknown: it';
  throw new OAuthError('invalid_request', `token_type ${problem} must be ${tokenTypes.join(' or ')}`);
}

/**
 * Revokes a token (RFC 7009): an access token alone, a refresh token together with its Grant. The kind is looked up, so a
 * wrong hint does no harm. An unknown token succeeds. A known one is published to the gateways every time, so that a retry
 * after a lost response reports propagation.
 * @throws OAuthError invalid_request without a kind of token; invalid_grant for another client's token, which stays as it is
 */
export async function revokeToken(
  { tokens, hasher, propagate }: TokenDeps,
  request: TokenRequest,
): Promise<Propagation> {
  const hashes = hasher.candidates(requireParameter(request.parameters, 'token'));
  checkTokenType(request.parameters);
  const raised = await tokens.inTransaction(async (transaction) => {
    const [token] = await transaction.findRevocable(hashes);
    if (token === undefined) return undefined;
    if (token.applicationId !== request.client.applicationId) {
      throw new OAuthError('invalid_grant', 'the token was issued to another client', 'token_foreign');
    }
    const { businessId } = token;
    const revoked = await revoke(transaction, actorOf(request), token);
    return revoked ?? { businessId, generation: await transaction.raiseGeneration(businessId) };
  });
  return raised === undefined ? 'confirmed' : propagate([raised]);
}

/**
 * Revokes those of some tokens that leaked, as their applications would: an access token alone, a refresh token with its Grant.
 * Tokens that were revoked before stay as they are.
 */
export async function revokeLeakedTokens(
  { tokens, propagate }: Pick<TokenDeps, 'tokens' | 'propagate'>,
  actor: Actor,
  hashes: readonly Buffer[],
): Promise<void> {
  if (hashes.length === 0) return;
  for (const token of await tokens.inTransaction((transaction) => transaction.findRevocable(hashes))) {
    const raised = await tokens.inTransaction((transaction) => revoke(transaction, actor, token));
    if (raised !== undefined) await propagate([raised]);
  }
}

/** Resolves to the generation to publish; undefined when it had been revoked. */
async function revoke(
  transaction: TokenTransaction,
  actor: Actor,
  token: RevocableToken,
): Promise<RaisedGeneration | undefined> {
  const { id, businessId, applicationId } = token;
  if (token.kind === 'refresh_token') return endGrant(transaction, actor, token.grantId, 'revoked');
  if (!(await transaction.revokeAccessToken(token))) return undefined;
  const event = { actor, businessId, action: 'access_token.revoked', subjectId: id };
  await transaction.audit({ ...event, details: { applicationId } });
  return { businessId, generation: await transaction.raiseGeneration(businessId) };
}
