import { common } from '../headers.ts';
import { json, schema } from '../refs.ts';
import { clientOnly } from '../security-schemes.ts';
import { badRequest, oauthRefusals } from './oauth-refusals.ts';

const example = {
  token: '<REFRESH_TOKEN>',
  token_type: 'refresh_token',
  client_id: '<CLIENT_ID>',
  client_secret: '<CLIENT_SECRET>',
};

export const revoke = {
  post: {
    operationId: 'revokeToken',
    tags: ['OAuth'],
    summary: 'Revoke a token',
    description:
      'An access token alone, or a refresh token with everything of its approval. When 200 is there, no request that starts ' +
      'later succeeds. After 503 repeat it: the token is revoked, and gateways will know within 30 seconds.',
    security: clientOnly,
    requestBody: {
      required: true,
      content: {
        ...json(schema('Revocation'), example),
        'application/x-www-form-urlencoded': { schema: schema('Revocation'), example },
      },
    },
    responses: {
      200: {
        description: 'The token is good for nothing. So is one that was unknown.',
        headers: common,
        content: json({ type: 'object', properties: {} }, {}),
      },
      400: badRequest("The request is malformed, or the token is another client's.", {
        invalid_request: 'token is missing',
        invalid_grant: 'the token was issued to another client',
      }),
      ...oauthRefusals,
    },
  },
};
