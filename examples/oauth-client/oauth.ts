// The OAuth 2.0 client: authorization code with PKCE (RFC 7636), refresh and revocation. Knows no web framework.
import { randomUUID } from 'node:crypto';
import * as oauth from 'oauth4webapi';

export interface ClientSettings {
  /** Origin of the platform, which is its issuer (RFC 8414). */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Registered with the application. */
  readonly redirectUri: string;
  /** Scopes, separated by blanks. */
  readonly scope: string;
}

/** An authorization request without a response yet. Keep it in the user's session. */
export interface PendingRequest {
  readonly state: string;
  readonly codeVerifier: string;
}

/** `fetch`, or a replacement that also records requests. */
export type Fetch = (url: string, options: FetchOptions) => Promise<Response>;

export interface FetchOptions {
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly body?: URLSearchParams | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const plainFetch: Fetch = (url, { body = null, signal = null, ...options }) =>
  fetch(url, { ...options, body, signal });

/** One business that has approved the application. Keep its tokens where only the server reads them. */
export interface Connection {
  /** GET of a path below /v2. Refreshes first when the access token is about to expire. */
  get(path: string): Promise<Response>;
  /** Replaces both tokens. Calls at the same time share one request, since a refresh token works once. */
  refresh(): Promise<void>;
  /** Ends the approval with all of its tokens. */
  revoke(): Promise<void>;
}

const deadlineMs = 10_000;
/** Milliseconds before its end at which an access token is replaced. */
const refreshEarlyMs = 60_000;

export type OAuthClient = Awaited<ReturnType<typeof createOAuthClient>>;

/** Reads the platform's metadata. @throws when it cannot be reached */
export async function createOAuthClient(settings: ClientSettings) {
  const { issuer, redirectUri, scope } = settings;
  const client: oauth.Client = { client_id: settings.clientId };
  const authentication = oauth.ClientSecretPost(settings.clientSecret);
  const optionsOf = (fetch: Fetch) => ({
    // Allows http for a platform on this machine.
    [oauth.allowInsecureRequests]: issuer.startsWith('http://'),
    [oauth.customFetch]: fetch,
    signal: () => AbortSignal.timeout(deadlineMs),
  });
  const url = new URL(issuer);
  const metadata = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...optionsOf(plainFetch) });
  const server = await oauth.processDiscoveryResponse(url, metadata);

  const connect = (first: oauth.TokenEndpointResponse, send: Fetch): Connection => {
    let tokens = tokensOf(first);
    let refreshing: Promise<void> | undefined;

    const exchange = async () => {
      // Uses the same key for the same token, even after an error: a pair that was already issued is returned for 60 seconds.
      const options = { headers: { 'Idempotency-Key': tokens.refreshKey }, ...optionsOf(send) };
      const request = () =>
        oauth.refreshTokenGrantRequest(server, client, authentication, tokens.refreshToken, options);
      const response = await request().catch(request);
      tokens = tokensOf(await oauth.processRefreshTokenResponse(server, client, response));
    };
    const refresh = () => {
      refreshing ??= exchange().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    };
    return {
      refresh,
      get: async (path) => {
        if (Date.now() > tokens.expiresAt - refreshEarlyMs) await refresh();
        const headers = { Authorization: `Bearer ${tokens.accessToken}` };
        return send(`${issuer}/v2${path}`, { headers, signal: AbortSignal.timeout(deadlineMs) });
      },
      revoke: async () => {
        const options = { ...optionsOf(send), additionalParameters: { token_type_hint: 'refresh_token' } };
        const token = tokens.refreshToken;
        const response = await oauth.revocationRequest(server, client, authentication, token, options);
        await oauth.processRevocationResponse(response);
      },
    };
  };

  return {
    /** A fresh state and verifier, and the address to send the browser to. */
    begin: async (): Promise<{ readonly pending: PendingRequest; readonly url: string }> => {
      const pending = {
        state: oauth.generateRandomState(),
        codeVerifier: oauth.generateRandomCodeVerifier(),
      };
      const parameters = new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope,
        state: pending.state,
        code_challenge: await oauth.calculatePKCECodeChallenge(pending.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { pending, url: `${server.authorization_endpoint}?${parameters}` };
    },
    /**
     * Checks `state` and `iss` (RFC 9207) of a callback. @throws oauth.AuthorizationResponseError when the business
     * or the platform refused; other errors when the callback is no response to `pending`
     */
    readCallback: (callback: URL, { state }: PendingRequest) =>
      oauth.validateAuthResponse(server, client, callback, state),
    /** Exchanges the code. @throws oauth.ResponseBodyError when it is refused, as `invalid_grant` */
    exchangeCode: async (
      parameters: URLSearchParams,
      { codeVerifier }: PendingRequest,
      send: Fetch = plainFetch,
    ) => {
      const options = optionsOf(send);
      const grant = [server, client, authentication, parameters, redirectUri, codeVerifier, options] as const;
      const response = await oauth.authorizationCodeGrantRequest(...grant);
      return connect(await oauth.processAuthorizationCodeResponse(server, client, response), send);
    },
  };
}

function tokensOf({ access_token, refresh_token = '', expires_in = 0 }: oauth.TokenEndpointResponse) {
  const expiresAt = Date.now() + expires_in * 1000;
  return { accessToken: access_token, refreshToken: refresh_token, refreshKey: randomUUID(), expiresAt };
}

/** `invalid_grant`: the business has disconnected, or the tokens are used up. The business has to connect again. */
export const isDisconnected = (error: unknown) =>
  error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant';

/** An error response of the business or the platform that ends a flow, such as `access_denied`. */
export const isRefusal = (error: unknown) => error instanceof oauth.AuthorizationResponseError;

/** `error: error_description` of an OAuth error; the message of every other. */
export function describeError(error: unknown): string {
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError) {
    return `${error.error}: ${error.error_description ?? ''}`;
  }
  return error instanceof Error ? error.message : String(error);
}
