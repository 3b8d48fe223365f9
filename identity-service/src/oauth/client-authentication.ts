import { checkedTokenPrefix } from '@platform/service-kit/secrets/checked-token.ts';
import { isWhitelisted } from '../platform/ip-whitelist.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import type { OAuthReason } from '../traffic/oauth-reason.ts';
import type { Client, ClientStore } from './client-store.ts';
import { clientAuthenticationFailed, OAuthError } from './oauth-error.ts';
import { type Parameters, requireParameter } from './parameters.ts';

/** Client ID and secret of a request. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Client ID and secret, from the Authorization header or from the body, never from both (RFC 6749 section 2.3).
 * @throws OAuthError invalid_request when they are missing, malformed or given twice
 */
export function readClientCredentials(
  authorization: string | undefined,
  parameters: Parameters,
): ClientCredentials {
  if (authorization === undefined) {
    return {
      clientId: requireParameter(parameters, 'client_id', 'client_credentials'),
      clientSecret: requireParameter(parameters, 'client_secret', 'client_credentials'),
    };
  }
  const credentials = readBasic(authorization);
  if (parameters.has('client_secret')) {
    throw malformed('the client secret is in both header and body: use one of them');
  }
  const clientId = parameters.get('client_id');
  if (clientId !== undefined && clientId !== credentials.clientId) {
    throw malformed('client_id differs from the Authorization header');
  }
  return credentials;
}

/** Each half is form-urlencoded before it is joined (RFC 6749 section 2.3.1). */
function readBasic(authorization: string): ClientCredentials {
  const base64 = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1];
  const text = base64 === undefined ? '' : Buffer.from(base64, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const clientId = formDecode(text.slice(0, Math.max(colon, 0)));
  const clientSecret = formDecode(text.slice(colon + 1));
  if (!clientId || !clientSecret) {
    throw malformed('the Authorization header must be Basic with client ID and secret');
  }
  return { clientId, clientSecret };
}

function malformed(description: string): OAuthError {
  return new OAuthError('invalid_request', description, 'client_credentials');
}

function formDecode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    // RFC 6749 appendix A: visible ASCII.
    return /^[\x20-\x7e]+$/.test(decoded) ? decoded : undefined;
  } catch {
    // A percent sign that is not part of an escape.
    return undefined;
  }
}

/** Last four characters of a client secret; undefined for any other text, which could be an unrelated secret. */
export function lastFourOf(clientSecret: string): string | undefined {
  return isClientSecret(clientSecret) ? clientSecret.slice(-4) : undefined;
}

const isClientSecret = (text: string) => checkedTokenPrefix(text) === 'cs';

function secretReason(clientSecret: string): OAuthReason {
  return isClientSecret(clientSecret) ? 'client_secret_wrong' : 'client_secret_malformed';
}

export interface AuthenticateClientDeps {
  readonly clients: ClientStore;
  readonly hasher: SecretHasher;
}

/**
 * Authenticates a client (RFC 6749 section 2.3) whose address is on its IP whitelist (contract 5.2). Unknown client,
 * wrong secret and wrong address give one response after one lookup, so that they cannot be distinguished.
 * @throws OAuthError invalid_client
 */
export async function authenticateClient(
  { clients, hasher }: AuthenticateClientDeps,
  { clientId, clientSecret }: ClientCredentials,
  clientIp: string,
): Promise<Client> {
  const client = await clients.find(clientId, hasher.candidates(clientSecret));
  if (client === undefined) throw clientAuthenticationFailed(secretReason(clientSecret));
  if (!isWhitelisted(client.ipWhitelist, clientIp)) throw clientAuthenticationFailed('client_address');
  await clients.noteUse(client.secret);
  return client;
}
