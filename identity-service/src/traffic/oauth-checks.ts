import { type OAuthReason, oauthPaths } from './oauth-reason.ts';
import type { RequestRecord } from './request-log.ts';

/** Checks of a request to the token or the revocation endpoint before it is processed. */
const clientChecks = [
  'available',
  'body',
  'client',
  'secret',
  'client_address',
  'client_limit',
  'parameters',
  'issued',
] as const;

/** Checks of a request to the token endpoint, in this order. */
const tokenChecks = [
  ...clientChecks,
  'connection',
  'client_suspended',
  'unused',
  'unexpired',
  'matching',
  'scopes',
] as const;

/** Checks of a request to the revocation endpoint, in this order. */
const revokeChecks = [...clientChecks, 'confirmed'] as const;

/** Checks of an authorization request, in this order. */
const authorizeChecks = [
  'available',
  'client',
  'client_suspended',
  'redirect_uri',
  'parameters',
  'approval',
] as const;

export type OAuthCheck = (typeof tokenChecks | typeof revokeChecks | typeof authorizeChecks)[number];

/** All of them, each once. */
export const oauthChecks: readonly OAuthCheck[] = [
  ...new Set([...tokenChecks, ...revokeChecks, ...authorizeChecks]),
];

/** Checks of a record's endpoint; undefined when it is no OAuth endpoint. */
export function oauthChecksOf({ route }: Pick<RequestRecord, 'route'>): readonly OAuthCheck[] | undefined {
  if (route === oauthPaths.authorize) return authorizeChecks;
  if (route === oauthPaths.revoke) return revokeChecks;
  return route === oauthPaths.token ? tokenChecks : undefined;
}

/** Failed check by reason. */
export const oauthCheckOf: Readonly<Record<OAuthReason, OAuthCheck>> = {
  oauth_unreadable: 'body',
  oauth_parameters: 'parameters',
  client_credentials: 'client',
  client_unknown: 'client',
  client_secret_malformed: 'secret',
  client_secret_wrong: 'secret',
  client_address: 'client_address',
  client_throttled: 'client_limit',
  oauth_application_suspended: 'client_suspended',
  oauth_connection_suspended: 'client_suspended',
  oauth_connection_ended: 'connection',
  code_unknown: 'issued',
  code_used: 'unused',
  code_expired: 'unexpired',
  code_redirect_uri: 'matching',
  code_verifier: 'matching',
  refresh_unknown: 'issued',
  refresh_repeated: 'unused',
  refresh_reused: 'unused',
  refresh_expired: 'unexpired',
  token_foreign: 'issued',
  revocation_unconfirmed: 'confirmed',
  oauth_scopes: 'scopes',
  redirect_uri_unknown: 'redirect_uri',
  authorization_parameters: 'parameters',
  approval_denied: 'approval',
  approval_needs_page: 'approval',
  approval_second_factor: 'approval',
  oauth_unavailable: 'available',
  oauth_unexpected: 'available',
};

/** Statement about each check that is true when it passed. */
export const oauthStatements: Readonly<Record<OAuthCheck, (record: RequestRecord) => string>> = {
  available: () => 'The service was available',
  body: () => 'The body can be read, and has each parameter once',
  client: () => 'It names an app that exists',
  secret: ({ secretLastFour }) =>
    secretLastFour === undefined
      ? 'The client secret belongs to the app'
      : `The client secret that ends in ${secretLastFour} belongs to the app`,
  client_address: ({ clientIp }) => `The client’s address ${clientIp} is on the IP whitelist of the app`,
  client_limit: () => 'The app sent at most 600 requests in this minute',
  parameters: () => 'The parameters are complete and well-formed',
  // The revocation of a token that does not exist succeeds (RFC 7009 section 2.2).
  issued: ({ route }) =>
    route === oauthPaths.revoke
      ? 'The token was not issued to another app'
      : 'The code or token was issued to this app',
  connection: () => 'The connection has not ended',
  client_suspended: () => 'The app and its connection are not suspended',
  unused: () => 'The code or refresh token was not used by another request',
  unexpired: () => 'The code or refresh token has not expired',
  matching: () => 'Of a code: code_verifier and redirect_uri match the authorization request',
  scopes: () => 'The scopes were approved',
  confirmed: () => 'Every gateway refuses the token',
  redirect_uri: () => 'The redirect URI is registered',
  approval: () => 'The person can connect a verified business',
};
