/** An endpoint of the reference. `route` is `none` for paths that do not exist. */
interface Endpoint {
  readonly method: string | undefined;
  readonly route: string;
}

/** Endpoints whose requests are in the log. */
export const endpoints: readonly Endpoint[] = [
  { method: 'GET', route: '/v2/order' },
  { method: 'POST', route: '/v2/order' },
  { method: 'GET', route: '/v2/order/{id}' },
  { method: 'PATCH', route: '/v2/order/{id}' },
  { method: 'GET', route: '/v2/businesses/me' },
  { method: 'GET', route: '/v2/events' },
  { method: 'GET', route: '/v2/rate-limit' },
  { method: 'POST', route: '/v2/oauth/token' },
  { method: 'POST', route: '/v2/oauth/revoke' },
  { method: 'GET', route: '/oauth/authorize' },
  { method: undefined, route: 'none' },
];

/** "GET /v2/order" */
export function endpointLabel(method: string | undefined, route: string | null | undefined): string {
  const words = route === null || route === 'none' ? 'unknown paths' : route;
  return [method, words].filter((part) => part !== undefined).join(' ');
}

/** Error reasons of the filter, in the words of the rows. */
export const reasons = [
  { reason: 'insufficient_scope', label: 'A scope is missing' },
  { reason: 'rate_limited', label: 'Rate limit reached' },
  { reason: 'expired', label: 'The key or token has expired' },
  { reason: 'ip_not_allowed', label: 'The address is not allowed' },
  { reason: 'business_frozen', label: 'API access is frozen' },
  { reason: 'key_frozen', label: 'The key is frozen' },
  { reason: 'application_suspended', label: 'The app is suspended' },
  { reason: 'connection_suspended', label: 'The connection is suspended' },
  { reason: 'plain_http', label: 'Sent over http' },
  { reason: 'no_route', label: 'No such path' },
  { reason: 'method', label: 'The method is not allowed here' },
  { reason: 'invalid_request', label: 'The request is invalid (400)' },
  { reason: 'invalid_json', label: 'The body is not valid JSON' },
  { reason: 'invalid_query', label: 'A query parameter is not valid' },
  { reason: 'invalid_body', label: 'A field is missing or not valid' },
  { reason: 'invalid_header', label: 'A header is not valid' },
  { reason: 'invalid_path', label: 'A part of the path is not valid' },
  { reason: 'body_too_large', label: 'The body is too large' },
  { reason: 'unsupported_media_type', label: 'The body is not JSON' },
  { reason: 'not_found', label: 'Not found (404)' },
  { reason: 'conflict', label: 'Conflict with the current state' },
  { reason: 'precondition_failed', label: 'The record has changed' },
  { reason: 'upstream_timeout', label: 'The service did not respond in time' },
  { reason: 'upstream_failed', label: 'The service did not respond' },
  { reason: 'upstream_saturated', label: 'The service was busy' },
  { reason: 'client_secret_wrong', label: 'OAuth: Wrong client secret' },
  { reason: 'client_address', label: 'OAuth: The address is not on the whitelist' },
  { reason: 'oauth_parameters', label: 'OAuth: A parameter is missing or malformed' },
  { reason: 'code_unknown', label: 'OAuth: The code does not exist' },
  { reason: 'code_expired', label: 'OAuth: The code has expired' },
  { reason: 'code_used', label: 'OAuth: The code was used before' },
  { reason: 'code_verifier', label: 'OAuth: Wrong code verifier' },
  { reason: 'refresh_unknown', label: 'OAuth: The refresh token does not exist' },
  { reason: 'refresh_repeated', label: 'OAuth: The refresh token was used a moment ago' },
  { reason: 'refresh_reused', label: 'OAuth: The refresh token was used before' },
  { reason: 'redirect_uri_unknown', label: 'OAuth: The redirect URI is not registered' },
  { reason: 'approval_denied', label: 'OAuth: The business cannot be connected' },
  { reason: 'approval_needs_page', label: 'OAuth: The request needs a page' },
  { reason: 'approval_second_factor', label: 'OAuth: The person has no second factor' },
] as const;

/** Statuses of the filter: classes, then the codes of the reference. A person may type any other. */
export const statuses: readonly string[] = [
  ...['2xx', '4xx', '5xx'],
  ...['200', '201', '204', '304', '400', '401', '403', '404', '405', '409', '412', '413', '415', '429'],
  ...['500', '502', '503', '504'],
];

/** "2xx succeeded" */
export function statusLabel(status: string): string {
  const words = { '2xx': 'succeeded', '4xx': 'refused', '5xx': 'failed' };
  return status in words ? `${status} ${words[status as keyof typeof words]}` : status;
}
