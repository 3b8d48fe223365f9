// The OAuth flow with oauth4webapi. With `npm start` running elsewhere: npx node docs/guides/oauth4webapi.ts
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import * as oauth from 'oauth4webapi';

interface Demo {
  readonly baseUrl: string;
  readonly application: { readonly clientId: string; readonly clientSecret: string };
}

const demo: Demo = JSON.parse(readFileSync(process.argv[2] ?? '.local/demo.json', 'utf8'));
const issuer = new URL(demo.baseUrl);
const client: oauth.Client = { client_id: demo.application.clientId };
const clientAuth = oauth.ClientSecretPost(demo.application.clientSecret);
// For http on your own machine. In production there is https, and this goes.
const insecure = { [oauth.allowInsecureRequests]: true };
const say = (line: string) => process.stdout.write(`${line}\n`);

// Where things are (RFC 8414).
const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
const server = await oauth.processDiscoveryResponse(issuer, discovered);

// A place to come back to: a path of your application, registered as its redirect URI. On loopback any port will do.
const arrival = Promise.withResolvers<string>();
const listener = createServer((req, res) => {
  arrival.resolve(req.url ?? '');
  res.setHeader('Connection', 'close').end('You can close this window.');
}).listen(0, '127.0.0.1');
await once(listener, 'listening');
const address = listener.address();
const port = typeof address === 'object' ? address?.port : undefined;
const redirectUri = `http://127.0.0.1:${port}/callback`;

// 1. Send the browser to the platform, with a fresh verifier and state. Keep both in the user's session.
const codeVerifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const authorization = new URL(server.authorization_endpoint ?? '');
authorization.search = new URLSearchParams({
  client_id: client.client_id,
  redirect_uri: redirectUri,
  response_type: 'code',
  scope: 'business:read orders:read',
  state,
  code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
  code_challenge_method: 'S256',
}).toString();
say(`Open ${authorization}`);

// 2. It comes back. This checks state and iss, and throws AuthorizationResponseError for `error=access_denied`.
const callback = new URL(await arrival.promise, redirectUri);
listener.close();
const parameters = oauth.validateAuthResponse(server, client, callback, state);

// 3. Exchange the code. Throws ResponseBodyError with `error` and `error_description` when it is refused.
const exchanged = await oauth.authorizationCodeGrantRequest(
  server,
  client,
  clientAuth,
  parameters,
  redirectUri,
  codeVerifier,
  insecure,
);
const tokens = await oauth.processAuthorizationCodeResponse(server, client, exchanged);
say(`Access token for ${tokens.expires_in} s, scope ${tokens.scope}`);

// 4. Whose business is it? Map it to your user.
const me = new URL('/v2/businesses/me', issuer);
const headers = new Headers();
const response = await oauth.protectedResourceRequest(
  tokens.access_token,
  'GET',
  me,
  headers,
  null,
  insecure,
);
say(`Business ${await response.text()}`);

// 5. Before the hour ends: a new pair. Store both tokens; the old refresh token is used up.
// If no response comes, repeat the very same request with the same key within 60 seconds.
const refreshed = await oauth.refreshTokenGrantRequest(
  server,
  client,
  clientAuth,
  tokens.refresh_token ?? '',
  { headers: { 'Idempotency-Key': randomUUID() }, ...insecure },
);
const fresh = await oauth.processRefreshTokenResponse(server, client, refreshed);
say(`New access token for ${fresh.expires_in} s`);

// 6. The user disconnects: revoking the refresh token ends everything.
const { refresh_token: last = '' } = fresh;
await oauth.processRevocationResponse(
  await oauth.revocationRequest(server, client, clientAuth, last, {
    ...insecure,
    additionalParameters: { token_type_hint: 'refresh_token' },
  }),
);
say('Revoked');
