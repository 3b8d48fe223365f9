/** Why an OAuth request failed, for the owner of its application: more than its response says. */
export const oauthReasons = [
  'oauth_unreadable',
  'oauth_parameters',
  'client_credentials',
  'client_unknown',
  'client_secret_malformed',
  'client_secret_wrong',
  'client_address',
  'client_throttled',
  'oauth_application_suspended',
  'oauth_connection_suspended',
  'oauth_connection_ended',
  'code_unknown',
  'code_used',
  'code_expired',
  'code_redirect_uri',
  'code_verifier',
  'refresh_unknown',
  'refresh_repeated',
  'refresh_reused',
  'refresh_expired',
  'token_foreign',
  'revocation_unconfirmed',
  'oauth_scopes',
  'redirect_uri_unknown',
  'authorization_parameters',
  'approval_denied',
  'approval_needs_page',
  'approval_second_factor',
  'oauth_unavailable',
  'oauth_unexpected',
] as const;

export type OAuthReason = (typeof oauthReasons)[number];

export function isOAuthReason(candidate: string): candidate is OAuthReason {
  return (oauthReasons as readonly string[]).includes(candidate);
}

/** Public paths whose failures are recorded. */
export const oauthPaths = {
  token: '/v2/oauth/token',
  revoke: '/v2/oauth/revoke',
  authorize: '/oauth/authorize',
} as const;

export type OAuthEndpoint = keyof typeof oauthPaths;
