import { STATUS_CODES } from 'node:http';

/** `{"error", "status", "code"}` with what is known of them. @param texts every `error` there is, where that is promised */
export function errorSchema(code: number, texts?: readonly string[]) {
  const error = { type: 'string', ...(texts && { enum: texts }) };
  return {
    type: 'object',
    required: ['error', 'status', 'code'],
    properties: { error, status: { const: STATUS_CODES[code] }, code: { const: code } },
  };
}

export const errorExample = (code: number, error: string) => ({ error, status: STATUS_CODES[code], code });

/** Programs may decide by these. */
export const unauthorizedTexts = [
  'Invalid API key',
  'API key has expired',
  'Invalid access token',
  'Access token has expired',
];

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
  Unauthorized: errorSchema(401, unauthorizedTexts),
  Forbidden: {
    type: 'object',
    description: 'Says no more on purpose: the reason stands in the headers.',
    required: ['status', 'code'],
    properties: { status: { const: 'Forbidden' }, code: { const: 403 } },
  },
  TooManyRequests: errorSchema(429, ['Rate limit exceeded']),
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
