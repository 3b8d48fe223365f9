import type { Explanation, RequestWithClient } from './explanation.ts';
import { type OAuthReason, oauthPaths } from './oauth-reason.ts';
import type { RequestRecord } from './request-log.ts';

type Explain = (request: RequestWithClient) => Omit<Explanation, 'remedy'>;

const again = 'Send the person through the authorization flow again.';

/** Explanations of failed OAuth requests of an application, for its owner. */
const byReason: Readonly<Record<OAuthReason, Explain>> = {
  oauth_unreadable: () => ({
    title: 'The body could not be read',
    problem:
      'The body is neither a form nor a JSON object of strings, has another Content-Type or a parameter twice, or is larger than 64 kB.',
    advice: 'Send application/x-www-form-urlencoded or application/json, with each parameter once.',
    anchor: 'invalid_request',
  }),
  oauth_parameters: () => ({
    title: 'A parameter is missing or not accepted',
    problem: 'The request lacks a parameter, or one has a value that is not accepted.',
    advice: 'The response names the parameter. Compare the request with the reference.',
    anchor: 'invalid_request',
  }),
  client_credentials: () => ({
    title: 'Client ID or secret is missing or sent twice',
    problem: 'The client ID or the client secret is missing, or was sent both in the header and in the body.',
    advice: 'Send both in the body, or both by HTTP Basic.',
    anchor: 'invalid_request',
  }),
  client_unknown: () => ({
    title: 'The client ID does not exist',
    problem: 'No app has the client ID of the request: it is mistyped, or the app was deleted.',
    advice: 'Copy the client ID from the page of the app.',
    anchor: 'invalid_client',
  }),
  client_secret_malformed: () => ({
    title: 'Not a client secret',
    problem: 'The text that was sent as the client secret does not have the format of one.',
    advice:
      'Check that it was copied completely, begins with cs_, and is percent-encoded where it is sent by Basic.',
    anchor: 'invalid_client',
  }),
  client_secret_wrong: ({ record }) => ({
    title: 'Wrong client secret',
    problem: `The client secret${endingOf(record.secretLastFour)} does not belong to the app, or was rotated or deleted.`,
    advice:
      'Compare its last four characters with those on the page of the app. Without any match, create a new secret there.',
    anchor: 'invalid_client',
  }),
  client_address: ({ record }) => ({
    title: 'The address is not on the whitelist',
    problem: `The client secret${endingOf(record.secretLastFour)} is right, but ${record.clientIp} is not on the IP whitelist of the app.`,
    advice:
      'Add the address if it is one of your servers. If you do not know it, the secret has leaked: rotate it at once.',
    anchor: 'invalid_client',
  }),
  client_throttled: () => ({
    title: 'Too many requests of the client',
    problem: 'The app sent more than 600 requests in a minute to this endpoint.',
    advice: 'Use an access token until it expires, and repeat after the time in Retry-After.',
    anchor: 'temporarily_unavailable',
  }),
  oauth_application_suspended: () => ({
    title: 'The app is suspended',
    problem: 'The app may not act for any business for the moment. Its connections and tokens are kept.',
    advice:
      'The page of the app says who suspended it and why. Once it is resumed, the same tokens work again.',
    anchor: 'unauthorized_client',
  }),
  oauth_connection_suspended: () => ({
    title: 'The connection is suspended',
    problem: 'An owner of the connected business suspended the connection. Its tokens are kept.',
    advice:
      'Ask the business, whose owner can resume it under Connected apps. The same tokens then work again.',
    anchor: 'unauthorized_client',
  }),
  oauth_connection_ended: () => ({
    title: 'The connection has ended',
    problem:
      'The code or token belongs to a connection that has ended: disconnected, revoked, or ended by reuse.',
    advice: again,
    anchor: 'invalid_grant',
  }),
  code_unknown: () => ({
    title: 'Unknown code',
    problem: 'The authorization code was not issued to this app, or was consumed by a wrong code_verifier.',
    advice: `Check that the code was copied completely and URL-decoded once. ${again}`,
    anchor: 'invalid_grant',
  }),
  code_used: () => ({
    title: 'The code was used before',
    problem:
      'The authorization code had been exchanged already, so the connection was ended with all its tokens.',
    advice: `Exchange each code once, also when the callback is loaded twice. ${again}`,
    anchor: 'invalid_grant',
  }),
  code_expired: () => ({
    title: 'The code has expired',
    problem: 'The authorization code is older than 10 minutes.',
    advice: `Exchange it right after the callback. ${again}`,
    anchor: 'invalid_grant',
  }),
  code_redirect_uri: () => ({
    title: 'The redirect URI differs',
    problem: 'The redirect_uri differs from the one of the authorization request. The code is consumed.',
    advice: `Send the same redirect_uri in both requests, or none here. ${again}`,
    anchor: 'invalid_grant',
  }),
  code_verifier: () => ({
    title: 'Wrong code verifier',
    problem:
      'The code_verifier does not match the code_challenge of the authorization request. The code is consumed.',
    advice: `Keep the verifier with the state of its own request, and hash it with SHA-256. ${again}`,
    anchor: 'invalid_grant',
  }),
  refresh_unknown: () => ({
    title: 'Unknown refresh token',
    problem: 'The refresh token was not issued to this app, was revoked, or expired more than a day ago.',
    advice: `Check that the latest refresh token is stored completely. ${again}`,
    anchor: 'invalid_grant',
  }),
  refresh_repeated: () => ({
    title: 'The refresh token was used a moment ago',
    problem:
      'A request with the same refresh token got new tokens less than a minute before, and they had not been used. The connection is kept.',
    advice:
      'Use the tokens of the other request, if another process of yours has them. If its response was lost, send the user through the flow again; an Idempotency-Key, or Repeat a lost refresh in the settings of the app, returns them next time.',
    anchor: 'invalid_grant',
  }),
  refresh_reused: () => ({
    title: 'The refresh token was used before',
    problem:
      'The refresh token had been replaced by a new one, so it may be stolen: the connection was ended with all its tokens.',
    advice: `Store the new refresh token of each response before it is used. ${again}`,
    anchor: 'invalid_grant',
  }),
  refresh_expired: () => ({
    title: 'The refresh token has expired',
    problem: 'The refresh token was not used for 30 days.',
    advice: again,
    anchor: 'invalid_grant',
  }),
  token_foreign: () => ({
    title: 'The token belongs to another app',
    problem: 'The token to revoke was issued to another client. It was not revoked.',
    advice: 'Revoke it with the client ID and secret of the app that got it.',
    anchor: 'invalid_grant',
  }),
  revocation_unconfirmed: () => ({
    title: 'Revoked, but not confirmed in time',
    problem: 'The token was revoked, and gateways had not confirmed it in time. They do within 30 seconds.',
    advice: 'Nothing is needed. The same request after the time in Retry-After asks for the confirmation.',
    anchor: 'server_error',
  }),
  oauth_scopes: () => ({
    title: 'A scope cannot be granted',
    problem: 'A requested scope is unknown, or the app or the approval does not have it.',
    advice:
      'Choose the scope on the page of the app, then send the person through the authorization flow again.',
    anchor: 'invalid_scope',
  }),
  redirect_uri_unknown: () => ({
    title: 'The redirect URI is missing or not registered',
    problem:
      'The redirect_uri of the authorization request is missing or not one of the app, so the person saw an error.',
    advice: 'Register it on the page of the app. It has to match exactly, with its path and query.',
    anchor: 'oauth',
  }),
  authorization_parameters: () => ({
    title: 'An authorization parameter is not accepted',
    problem: 'The authorization request lacks a parameter, or one has a value that is not accepted.',
    advice:
      'The response names the parameter, and the app got it at its redirect URI. Compare the request with the guide.',
    anchor: 'oauth',
  }),
  approval_denied: () => ({
    title: 'No business could be connected',
    problem:
      'The person owns no verified business that may connect this app, or the app has reached its limit of connected users.',
    advice: 'The response says which. Ask for a higher limit where it is the limit.',
    anchor: 'access_denied',
  }),
  approval_needs_page: () => ({
    title: 'The request needs a page',
    problem:
      'The app sent prompt=none, but a page was needed, such as to log in, approve or choose a business.',
    advice: 'Send the person through the authorization flow without prompt=none.',
    anchor: 'login_required',
  }),
  approval_second_factor: () => ({
    title: 'The person has no second factor',
    problem:
      'The business requires a second factor of its people, and this person has none, so the person saw a page that says so.',
    advice: `The person turns one on in the profile of the dashboard. ${again}`,
    anchor: 'access_denied',
  }),
  oauth_unavailable: () => ({
    title: 'The service was unavailable',
    problem: 'A part of the platform that the request needs was unavailable.',
    advice: 'Repeat the request after the time in Retry-After. No change is needed.',
    anchor: 'server_error',
  }),
  oauth_unexpected: () => ({
    title: 'Internal error',
    problem: 'An unexpected error occurred in the service.',
    advice: 'Repeat the request once. If it fails again, contact us with its request id.',
    anchor: 'server_error',
  }),
};

/** A request that succeeded, in a few words. The page or redirect of an authorization request is no approval. */
export function describeSuccess({ route, status }: Pick<RequestRecord, 'route' | 'status'>): string {
  if (route !== oauthPaths.authorize) return 'Succeeded';
  return status < 300 ? 'The consent page was shown' : 'Redirected without a page';
}

function endingOf(lastFour: string | undefined): string {
  return lastFour === undefined ? '' : ` that ends in ${lastFour}`;
}

/** Explains why an OAuth request failed. What can be fixed is on the page of the app. */
export function explainOAuth(reason: OAuthReason, request: RequestWithClient): Explanation {
  const { client } = request;
  const remedy = client?.exists ? ({ page: 'application', id: client.id } as const) : undefined;
  return { ...byReason[reason](request), remedy };
}
