import { isWhitelisted } from '../../applications/ip-whitelist.ts';
import type { SecretHasher } from '../../secrets/secret-hasher.ts';
import { OAuthError } from '../oauth-error.ts';
import type { Client, ClientStore } from './client.ts';
import type { ClientCredentials } from './client-credentials.ts';

export interface AuthenticateClientDeps {
  readonly clients: ClientStore;
  readonly hasher: SecretHasher;
}

/**
 * The client that the credentials belong to, calling from an address on its IP whitelist (contract 5.2). Unknown client,
 * wrong secret and wrong address are one answer after one lookup: nobody learns which of them it was.
 * @throws OAuthError invalid_client
 */
export async function authenticateClient(
  { clients, hasher }: AuthenticateClientDeps,
  { clientId, clientSecret }: ClientCredentials,
  clientIp: string,
): Promise<Client> {
  const client = await clients.find(clientId, hasher.candidates(clientSecret));
  if (client === undefined || !isWhitelisted(client.ipWhitelist, clientIp)) {
    throw new OAuthError('invalid_client', 'client authentication failed');
  }
  await clients.noteUse(client.secretId);
  return client;
}
