import { endGrant } from '../credentials/grants/end-grant.ts';
import type { EndReason } from '../credentials/grants/grant.ts';
import { type Suspended, suspendedTexts } from '../credentials/suspensions/suspension.ts';
import type { Actor } from '../platform/actor.ts';
import type { Propagate } from '../platform/credential-generations.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import type { Client } from './client-store.ts';
import { clientAuthenticationFailed, OAuthError } from './oauth-error.ts';
import type { Parameters } from './parameters.ts';
import type { TokenLifetimes } from './token-pair.ts';
import type { TokenStore, TokenTransaction } from './token-store.ts';

/** A request to the token or revocation endpoint, by a client that has authenticated. */
export interface TokenRequest {
  readonly client: Client;
  readonly parameters: Parameters;
  /** Address of the client, as the gateway determined it. */
  readonly clientIp: string;
  readonly requestId: string;
  /** Header Idempotency-Key. */
  readonly idempotencyKey: string | undefined;
}

/** Actor of a request, for the audit log. */
export function actorOf({ client, clientIp, requestId }: TokenRequest): Actor {
  return { kind: 'application', id: client.clientId, clientIp, requestId };
}

/**
 * Throws within the transaction, so that the code or refresh token stays unused. The error is unauthorized_client (RFC 6749
 * section 5.2), because invalid_grant makes clients drop their tokens and send the person through the flow again.
 * @throws OAuthError while the application or its connection is suspended
 */
export function refuseSuspended(suspended: Suspended | undefined): void {
  if (suspended === undefined) return;
  throw new OAuthError('unauthorized_client', suspendedTexts[suspended], `oauth_${suspended}_suspended`);
}

/** @throws OAuthError invalid_client when the secret of the request has ended since it authenticated */
export async function requireSecret(
  transaction: Pick<TokenTransaction, 'isSecretLive'>,
  { client }: TokenRequest,
): Promise<void> {
  if (!(await transaction.isSecretLive(client.secret.id)))
    throw clientAuthenticationFailed('client_secret_wrong');
}

/**
 * Ends the Grant of a code or refresh token that was used twice. Uses a separate transaction: the one that found the reuse
 * holds a weak lock on the Grant, and waiting for a stronger lock of the same row could deadlock.
 */
export async function endReusedGrant(
  { tokens, propagate }: Pick<TokenDeps, 'tokens' | 'propagate'>,
  request: TokenRequest,
  grantId: string,
  reason: EndReason,
): Promise<void> {
  const ended = await tokens.inTransaction((transaction) =>
    endGrant(transaction, actorOf(request), grantId, reason),
  );
  if (ended !== undefined) await propagate([ended]);
}

export interface TokenDeps {
  readonly tokens: TokenStore;
  readonly hasher: SecretHasher;
  readonly lifetimes: TokenLifetimes;
  readonly propagate: Propagate;
}
