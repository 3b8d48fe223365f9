import type { SecretHasher } from '../platform/secrets.ts';
import type { OAuthCalls } from '../traffic/oauth-calls.ts';
import { oauthPaths } from '../traffic/oauth-reason.ts';
import type { ExposedRequest } from '../traffic/request-log.ts';
import { type ClientCredentials, lastFourOf, readClientCredentials } from './client-authentication.ts';
import type { ClientStore } from './client-store.ts';
import { parserOf } from './http-parameters.ts';
import { OAuthError } from './oauth-error.ts';

export interface ExposedSecretDeps {
  readonly clients: Pick<ClientStore, 'find'>;
  readonly hasher: SecretHasher;
  readonly oauthLog: Pick<OAuthCalls, 'record'>;
}

/**
 * Records a request for the owners of the application if both its client ID and its secret are right; the ID alone is
 * public. Does not count as a use of the secret. Ignores the IP whitelist, since any address on the way can read the secret.
 */
export async function recordExposedSecret(
  { clients, hasher, oauthLog }: ExposedSecretDeps,
  request: ExposedRequest,
): Promise<void> {
  const credentials = credentialsOf(request);
  if (credentials === undefined) return;
  const { clientId, clientSecret } = credentials;
  const client = await clients.find(clientId, hasher.candidates(clientSecret));
  if (client === undefined) return;
  const { requestId, at, route, clientIp } = request;
  oauthLog.record({
    requestId,
    at,
    ms: 0,
    userAgent: '',
    endpoint: route === oauthPaths.token ? 'token' : 'revoke',
    method: 'POST',
    status: 403,
    reason: 'plain_http',
    publicError: 'invalid_request',
    clientIp,
    clientId,
    isAuthenticated: true,
    secretLastFour: lastFourOf(clientSecret),
  });
}

/** Undefined when the request has no credentials, or ambiguous ones. */
function credentialsOf({ authorization, contentType, body }: ExposedRequest): ClientCredentials | undefined {
  try {
    const parameters = body === '' ? new Map() : parserOf(contentType)(body);
    return readClientCredentials(authorization, parameters);
  } catch (error) {
    if (error instanceof OAuthError) return undefined;
    throw error;
  }
}
