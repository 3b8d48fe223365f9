import { common, location, retryAfter } from '../headers.ts';
import { response, schema } from '../refs.ts';

const query = (name: string, description: string, extra: object = {}) => ({
  name,
  in: 'query',
  required: true,
  description,
  schema: { type: 'string', ...extra },
});

const page = (description: string, headers = {}) => ({
  description,
  headers: { ...common, ...headers },
  content: { 'text/html': { schema: { type: 'string' } } },
});

/** A page, or the gateway's own refusal. */
const pageOrError = (description: string, headers = {}) => ({
  ...page(description, headers),
  content: {
    'text/html': { schema: { type: 'string' } },
    'application/json': { schema: schema('Error') },
  },
});

export const authorize = {
  get: {
    operationId: 'authorize',
    tags: ['OAuth'],
    summary: 'Ask a business for its approval (browser)',
    description:
      "Not for programs: send the user's browser here. The person logs in, sees what the application asks for, approves or " +
      'denies, and comes back to `redirect_uri`, with `code`, `state` and `iss`, or with `error`, `error_description`, ' +
      '`state` and `iss`. Check `state` and `iss` before anything else.',
    security: [],
    parameters: [
      query('client_id', 'Of the application.'),
      query('redirect_uri', 'Exactly one that is registered; on loopback any port.', { format: 'uri' }),
      query('response_type', 'The authorization code flow.', { const: 'code' }),
      query('state', 'A random value; it comes back unchanged.'),
      query('code_challenge', 'Base64url SHA-256 hash of the code verifier, without padding.', {
        pattern: '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$',
      }),
      query('code_challenge_method', 'The only one.', { const: 'S256' }),
      {
        name: 'scope',
        in: 'query',
        description:
          'Some of the scopes that the application is registered with; all of them where it is left out.',
        schema: { type: 'string' },
      },
    ],
    responses: {
      200: page('The page that asks for approval.'),
      303: {
        description: 'To the login, or back to the application.',
        headers: { ...common, ...location('Where the browser goes on.') },
      },
      400: pageOrError('Unknown `client_id` or unregistered `redirect_uri`: nobody is sent anywhere.'),
      429: page('More than 300 requests in a minute from one address, or 3,000 for one client.', retryAfter),
      502: response('BadGateway'),
      503: pageOrError('Cannot be served at the moment.', retryAfter),
      504: response('GatewayTimeout'),
      default: pageOrError('Anything else.'),
    },
  },
};
