import { createHash, randomBytes } from 'node:crypto';
import type { TestApplication } from './applications.ts';
import { type Browser, hiddenFields } from './browser.ts';
import { type HttpResponse, request } from './http-request.ts';
import type { Platform } from './platform.ts';

/** A fresh verifier and its challenge. */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: challengeOf(verifier) };
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

type Fields = Readonly<Record<string, string | undefined>>;

/** Path of a valid authorization request. `change` overrides parameters, and undefined removes one. */
export function authorizePath(application: TestApplication, change: Fields = {}): string {
  const fields = {
    client_id: application.clientId,
    redirect_uri: application.redirectUri,
    response_type: 'code',
    state: 'a state',
    code_challenge: challengeOf('v'.repeat(43)),
    code_challenge_method: 'S256',
    ...change,
  };
  const given = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(given)}`;
}

/** Parameters of the redirect to an application. @throws when the response is not a redirect */
export function returned(response: HttpResponse): Record<string, string> {
  const { location } = response.headers;
  if (response.status !== 303 || location === undefined || location.startsWith('/')) {
    throw new Error(`No redirect to an application, but ${response.status}:\n${location ?? response.text}`);
  }
  return Object.fromEntries(new URL(location).searchParams);
}

/** Approves or denies on the consent page that is open. */
export function submitConsent(
  browser: Browser,
  decision: 'approve' | 'deny',
  fields: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  return browser.submit('/oauth/consent', { decision, ...fields });
}

/** Fields of the consent page that is open. */
export function consentFields(browser: Browser): Record<string, string> {
  return hiddenFields(browser.page.response.text, '/oauth/consent');
}

/** Sends an authorization request, approves on a consent page if shown, and resolves to the code and its verifier. */
export async function authorizeApplication(
  browser: Browser,
  application: TestApplication,
  change: Fields = {},
): Promise<{ code: string; verifier: string }> {
  const { verifier, challenge } = pkce();
  const response = await browser.open(authorizePath(application, { code_challenge: challenge, ...change }));
  const done = response.status === 303 ? response : await submitConsent(browser, 'approve');
  const { code } = returned(done);
  if (code === undefined) throw new Error(`No code came back: ${done.headers.location}`);
  return { code, verifier };
}

/** Response of the token endpoint. */
export interface TokenResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly response: HttpResponse;
}

/** Fields of a token response. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** The OAuth endpoints as a client uses them, through a gateway; the secret is sent in the body, fields as a form. */
export function oauthClient(
  platform: Pick<Platform, 'gatewayPorts'>,
  application: TestApplication,
  gateway = 0,
) {
  const { clientId, clientSecret } = application;
  const post = async (
    path: string,
    fields: Fields,
    headers: Readonly<Record<string, string>> = {},
    at = gateway,
  ): Promise<TokenResponse> => {
    const given = { client_id: clientId, client_secret: clientSecret, ...fields };
    const pairs = Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const response = await request(platform.gatewayPorts[at] ?? 0, 'POST', path, {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: String(new URLSearchParams(pairs)),
    });
    return { status: response.status, body: JSON.parse(response.text), response };
  };
  const refresh = (
    refreshToken: string,
    change: Fields = {},
    headers: Readonly<Record<string, string>> = {},
    at = gateway,
  ) =>
    post(
      '/v2/oauth/token',
      { grant_type: 'refresh_token', refresh_token: refreshToken, ...change },
      headers,
      at,
    );
  return {
    post,
    refresh,
    /** Refreshes twice, and then sends the first refresh token again like a thief. */
    reuse: async (refreshToken: string, at = gateway): Promise<TokenResponse> => {
      tokensOf(await refresh(tokensOf(await refresh(refreshToken)).refreshToken));
      return refresh(refreshToken, {}, {}, at);
    },
    exchange: (code: string, verifier: string, change: Fields = {}, at = gateway) =>
      post(
        '/v2/oauth/token',
        { grant_type: 'authorization_code', code, code_verifier: verifier, ...change },
        {},
        at,
      ),
    revoke: (token: string, kind: Fields = { token_type: 'access_token' }) =>
      post('/v2/oauth/revoke', { token, ...kind }),
  };
}

/** Status of the token endpoint for a secret: 400 when it is accepted, since the request has no grant type. */
export async function knock(
  platform: Platform,
  application: TestApplication,
  clientSecret = application.clientSecret,
): Promise<number> {
  return (await oauthClient(platform, { ...application, clientSecret }).post('/v2/oauth/token', {})).status;
}

export type OAuthClient = ReturnType<typeof oauthClient>;

/** The tokens of a response. @throws when it is a refusal */
export function tokensOf({ status, body }: TokenResponse): Tokens {
  const { access_token: accessToken, refresh_token: refreshToken } = body;
  if (status !== 200 || typeof accessToken !== 'string' || typeof refreshToken !== 'string') {
    throw new Error(`No tokens, but ${status}: ${JSON.stringify(body)}`);
  }
  return { accessToken, refreshToken };
}

/** Connects a person's business and resolves to its tokens. */
export async function connect(
  platform: Platform,
  browser: Browser,
  application: TestApplication,
  change: Fields = {},
): Promise<Tokens> {
  const { code, verifier } = await authorizeApplication(browser, application, change);
  return tokensOf(await oauthClient(platform, application).exchange(code, verifier));
}
