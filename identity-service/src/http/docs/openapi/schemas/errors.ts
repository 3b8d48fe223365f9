/** `{"error", "status", "code"}` with what is known of them. 403 has no `error`. */
export function errorSchema(status: string, code: number, texts?: readonly string[]) {
  const error = { type: 'string', ...(texts && { enum: texts }) };
  return {
    type: 'object',
    required: ['error', 'status', 'code'],
    properties: { error, status: { const: status }, code: { const: code } },
  };
}

export const errorSchemas = {
  Error: {
    type: 'object',
    description:
      'An error of the API. Decide by `code`; `error` is for people, except where its values are listed.',
    required: ['error', 'status', 'code'],
    properties: {
      error: { type: 'string', description: 'What is wrong.' },
      status: { type: 'string', description: 'The HTTP reason.' },
      code: { type: 'integer', description: 'The HTTP status.', minimum: 400, maximum: 599 },
    },
  },
  Unauthorized: errorSchema('Unauthorized', 401, [
    'Invalid API key',
    'API key has expired',
    'Invalid access token',
    'Access token has expired',
  ]),
  Forbidden: {
    type: 'object',
    description: 'Says no more on purpose: the reason stands in the headers.',
    required: ['status', 'code'],
    properties: { status: { const: 'Forbidden' }, code: { const: 403 } },
  },
  TooManyRequests: errorSchema('Too Many Requests', 429, ['Rate limit exceeded']),
  OAuthError: {
    type: 'object',
    description: 'An error of an OAuth endpoint (RFC 6749 section 5.2).',
    required: ['error', 'error_description'],
    properties: {
      error: {
        type: 'string',
        description: 'Decide by this.',
        enum: [
          'invalid_request',
          'invalid_client',
          'invalid_grant',
          'invalid_scope',
          'unauthorized_client',
          'unsupported_grant_type',
          'server_error',
          'temporarily_unavailable',
        ],
      },
      error_description: { type: 'string', description: 'For your log; it may change.' },
    },
  },
};
