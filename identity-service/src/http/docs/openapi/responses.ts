import { challenge, common, counted, help, insufficientScope, retryAfter } from './headers.ts';
import { json, schema } from './refs.ts';
import { errorSchema } from './schemas/errors.ts';

const example = (summary: string, value: object) => ({ summary, value });
const error = (text: string, status: string, code: number) => example(text, { error: text, status, code });

/** An error with one text, or whose texts are open. */
function plainError(
  description: string,
  status: string,
  code: number,
  texts: readonly string[],
  headers = {},
) {
  const examples = Object.fromEntries(
    texts.map((text, index) => [`example${index + 1}`, error(text, status, code)]),
  );
  return {
    description,
    headers: { ...common, ...headers },
    content: json(errorSchema(status, code), examples),
  };
}

/** Errors of the API. @param publicUrl of the documentation that descriptions link to */
export function responses(publicUrl: string) {
  const more = (id: string) => `[What to do](${publicUrl}/docs/errors#${id}).`;
  return {
    BadRequest: plainError(
      `Something is missing, unknown, given twice or malformed; \`error\` names it. ${more('bad_request')}`,
      'Bad Request',
      400,
      ['limit: must be a number from 1 to 100'],
    ),
    Unauthorized: unauthorized(more('invalid_api_key')),
    Forbidden: {
      description: `The credential is good, and may not do this: a scope is missing, the address is not on the IP whitelist of
the application, API access is frozen, or the business is banned. The headers say which. ${more('insufficient_scope')}`,
      headers: { ...common, ...insufficientScope, ...help(false) },
      content: json(schema('Forbidden'), {
        forbidden: example('Whatever the reason', { status: 'Forbidden', code: 403 }),
      }),
    },
    BusinessNotFound: plainError('The business is no more.', 'Not Found', 404, ['Business not found']),
    OrderNotFound: plainError(`The business has no such order. ${more('not_found')}`, 'Not Found', 404, [
      'Order not found',
    ]),
    PayloadTooLarge: plainError(
      `The body is larger than 256 kB. ${more('payload_too_large')}`,
      'Payload Too Large',
      413,
      ['the body is larger than 256 kB'],
    ),
    UnsupportedMediaType: plainError(
      `The body is not \`application/json\`, or in a charset or encoding that is not read. ${more('unsupported_media_type')}`,
      'Unsupported Media Type',
      415,
      ['Content-Type must be application/json'],
    ),
    TooManyRequests: {
      description: `The rolling hour of the key or application is used up. ${more('rate_limit_exceeded')}`,
      headers: { ...counted, ...retryAfter, ...help() },
      content: json(schema('TooManyRequests'), {
        exceeded: error('Rate limit exceeded', 'Too Many Requests', 429),
      }),
    },
    ...unanswered(more),
    Other: {
      description: `Anything else, in the same form: 405 for a method that is not listed, 408, 411, 413 and 431 for what no
service can read, 500 for a fault of ours.`,
      headers: common,
      content: json(schema('Error'), {
        unexpected: error('unexpected error', 'Internal Server Error', 500),
      }),
    },
  };
}

function unauthorized(what: string) {
  return {
    description: `The credential is missing, was never issued, was revoked, or has expired. ${what}`,
    headers: { ...common, ...challenge, ...help(false) },
    content: json(schema('Unauthorized'), {
      invalidKey: error('Invalid API key', 'Unauthorized', 401),
      expiredKey: error('API key has expired', 'Unauthorized', 401),
      invalidToken: error('Invalid access token', 'Unauthorized', 401),
      expiredToken: error('Access token has expired', 'Unauthorized', 401),
    }),
  };
}

/** The request was in order, and somebody behind the gateway did not answer. */
function unanswered(more: (id: string) => string) {
  return {
    BadGateway: plainError(
      `A service behind the gateway did not answer. ${more('bad_gateway')}`,
      'Bad Gateway',
      502,
      ['the service behind the gateway did not answer'],
      retryAfter,
    ),
    Unavailable: plainError(
      `The request cannot be served at the moment. ${more('unavailable')}`,
      'Service Unavailable',
      503,
      ['authorization is not available at the moment', 'the service is temporarily unavailable'],
      retryAfter,
    ),
    GatewayTimeout: plainError(
      `A service behind the gateway did not answer in time. A write may have happened. ${more('gateway_timeout')}`,
      'Gateway Timeout',
      504,
      ['the service behind the gateway did not answer in time'],
    ),
  };
}
