import { clientChallenge, common, retryAfter } from '../headers.ts';
import { json, jsonOf, schema } from '../refs.ts';

const oauthError = schema('OAuthError');

/** The endpoint refused it, or the gateway before it. */
const either = { oneOf: [oauthError, schema('Error')] };

const error = (code: string, description: string) => ({ error: code, error_description: description });

/** What the endpoints for applications answer instead; each adds its own 400. */
export const oauthRefusals = {
  401: {
    description:
      'Client ID or client secret is wrong, or the address is not on the IP whitelist. The answer is the same.',
    headers: { ...common, ...clientChallenge },
    content: json(oauthError, error('invalid_client', 'client authentication failed')),
  },
  413: {
    description: 'The body is larger than 64 kB.',
    headers: common,
    content: json(either, error('invalid_request', 'the body is larger than 64 kB')),
  },
  429: {
    description: 'More than 600 requests in a minute, from one address or of one client.',
    headers: { ...common, ...retryAfter },
    content: json(
      oauthError,
      error('temporarily_unavailable', 'too many requests: wait as long as Retry-After says'),
    ),
  },
  503: {
    description: 'Cannot be served at the moment, or nothing behind the gateway answers.',
    headers: { ...common, ...retryAfter },
    content: json(either, error('server_error', 'the service is temporarily unavailable')),
  },
  default: {
    description:
      'Anything else: a fault of ours as `server_error`, or what the gateway says of every request.',
    headers: common,
    content: json(either, error('server_error', 'unexpected error')),
  },
};

/** @param examples codes that the endpoint gives, each with a description */
export const badRequest = (description: string, examples: Readonly<Record<string, string>>) => ({
  description,
  headers: common,
  content: jsonOf(
    either,
    Object.fromEntries(Object.entries(examples).map(([code, text]) => [code, error(code, text)])),
  ),
});
