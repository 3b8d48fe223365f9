import { common } from '../headers.ts';
import { examplesOf, json, jsonOf, parameter, schema } from '../refs.ts';
import { clientOnly } from '../security-schemes.ts';
import { badRequest, oauthRefusals } from './oauth-refusals.ts';

const request = {
  oneOf: [schema('AuthorizationCodeGrant'), schema('RefreshTokenGrant')],
  discriminator: {
    propertyName: 'grant_type',
    mapping: {
      authorization_code: '#/components/schemas/AuthorizationCodeGrant',
      refresh_token: '#/components/schemas/RefreshTokenGrant',
    },
  },
};

const examples = {
  'A code for tokens': {
    grant_type: 'authorization_code',
    code: '<AUTHORIZATION_CODE>',
    client_id: '<CLIENT_ID>',
    client_secret: '<CLIENT_SECRET>',
    code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  },
  'A new pair': {
    grant_type: 'refresh_token',
    refresh_token: '<REFRESH_TOKEN>',
    client_id: '<CLIENT_ID>',
    client_secret: '<CLIENT_SECRET>',
  },
};

const pair = {
  access_token: '<ACCESS_TOKEN>',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: '<REFRESH_TOKEN>',
  scope: 'business:read orders:read',
};

export const token = {
  post: {
    operationId: 'issueTokens',
    tags: ['OAuth'],
    summary: 'Exchange a code, or refresh',
    description:
      'From your server only, and from an address on the IP whitelist. Parameters come as JSON or as a form, each once. A ' +
      'refresh uses the refresh token up: store both new tokens.',
    security: clientOnly,
    parameters: [parameter('RefreshIdempotencyKey')],
    requestBody: {
      required: true,
      content: {
        ...jsonOf(request, examples),
        'application/x-www-form-urlencoded': { schema: request, examples: examplesOf(examples) },
      },
    },
    responses: {
      200: {
        description: 'A token pair.',
        headers: common,
        content: json(schema('TokenPair'), pair),
      },
      400: badRequest('The request is malformed, or what it brings is no longer good.', {
        invalid_request: 'code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~',
        invalid_grant: 'the authorization code is not valid: unknown, expired or used before',
        invalid_scope: 'scope must be among: business:read orders:read',
        unsupported_grant_type: 'grant_type must be one of: authorization_code, refresh_token',
      }),
      ...oauthRefusals,
    },
  },
};
