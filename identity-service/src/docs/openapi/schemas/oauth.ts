const clientFields = {
  client_id: { type: 'string', description: 'Of the application. Not needed beside HTTP Basic.' },
  client_secret: { type: 'string', description: 'Not beside HTTP Basic.' },
};

const strings = (names: readonly string[]) => ({ type: 'array', items: { type: 'string', enum: names } });

const url = { type: 'string', format: 'uri' };

export const oauthSchemas = {
  AuthorizationCodeGrant: {
    type: 'object',
    required: ['grant_type', 'code', 'code_verifier'],
    properties: {
      grant_type: { const: 'authorization_code' },
      code: { type: 'string', description: 'As it came to the redirect URI. Valid for ten minutes, once.' },
      code_verifier: {
        type: 'string',
        pattern: '^[A-Za-z0-9._~-]{43,128}$',
        description: 'Whose hash was sent as `code_challenge`.',
      },
      redirect_uri: {
        ...url,
        description: 'May be left out; otherwise the one of the authorization request.',
      },
      ...clientFields,
    },
  },
  RefreshTokenGrant: {
    type: 'object',
    required: ['grant_type', 'refresh_token'],
    properties: {
      grant_type: { const: 'refresh_token' },
      refresh_token: { type: 'string' },
      scope: {
        type: 'string',
        description: 'Narrows the new access token; scopes separated by blanks. Never widens.',
      },
      ...clientFields,
    },
  },
  TokenPair: {
    type: 'object',
    required: ['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope'],
    properties: {
      access_token: { type: 'string', description: '`at_…`: goes behind `Bearer`.' },
      token_type: { const: 'Bearer' },
      expires_in: {
        type: 'integer',
        minimum: 1,
        description: 'Seconds that the access token lives; typically 3600.',
      },
      refresh_token: { type: 'string', description: '`rt_…`: for the next pair. Lives for 30 days.' },
      scope: { type: 'string', description: 'What the access token allows; scopes separated by blanks.' },
    },
  },
  Revocation: {
    type: 'object',
    required: ['token'],
    properties: {
      token: { type: 'string', description: 'An access token, or a refresh token with all of its approval.' },
      token_type: {
        type: 'string',
        enum: ['access_token', 'refresh_token'],
        description: 'May be left out, also under its name of RFC 7009, `token_type_hint`.',
      },
      ...clientFields,
    },
  },
  ServerMetadata: {
    type: 'object',
    description: 'RFC 8414 and RFC 9207.',
    required: [
      ...['issuer', 'authorization_endpoint', 'token_endpoint', 'revocation_endpoint'],
      ...['response_types_supported', 'grant_types_supported', 'code_challenge_methods_supported'],
    ],
    properties: {
      issuer: url,
      authorization_endpoint: url,
      token_endpoint: url,
      token_endpoint_auth_methods_supported: strings(['client_secret_basic', 'client_secret_post']),
      revocation_endpoint: url,
      revocation_endpoint_auth_methods_supported: strings(['client_secret_basic', 'client_secret_post']),
      response_types_supported: strings(['code']),
      response_modes_supported: strings(['query']),
      grant_types_supported: strings(['authorization_code', 'refresh_token']),
      code_challenge_methods_supported: strings(['S256']),
      scopes_supported: strings(['business:read', 'events:read', 'orders:read', 'orders:write']),
      authorization_response_iss_parameter_supported: { type: 'boolean' },
      service_documentation: url,
    },
  },
};
