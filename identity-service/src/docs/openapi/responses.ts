import { challenge, common, counted, entityTag, help, insufficientScope, retryAfter } from './headers.ts';
import { json, jsonOf, schema } from './refs.ts';
import { errorExample, errorSchema, unauthorizedTexts } from './schemas/errors.ts';

/** An error whose texts are open; one of them as an example. */
const plainError = (description: string, code: number, text: string, headers = {}) => ({
  description,
  headers: { ...common, ...headers },
  content: json(errorSchema(code), errorExample(code, text)),
});

/** Errors of the API. @param publicUrl of the documentation that descriptions link to */
export function responses(publicUrl: string) {
  const more = (id: string) => `[What to do](${publicUrl}/docs/errors#${id}).`;
  return {
    BadRequest: plainError(
      `Something is missing, unknown, given twice or malformed; \`error\` names it. ${more('bad_request')}`,
      400,
      'limit: must be a number from 1 to 100',
    ),
    Unauthorized: unauthorized(more('invalid_api_key')),
    Forbidden: {
      description: `The credential is good, and may not do this: a scope is missing, the address is not on the IP whitelist of
the application, API access is frozen, or the business is banned. The headers say which. ${more('insufficient_scope')}`,
      headers: { ...counted(), ...insufficientScope, ...help(false) },
      content: json(schema('Forbidden'), { status: 'Forbidden', code: 403 }),
    },
    BusinessNotFound: plainError('The business is no more.', 404, 'Business not found'),
    OrderNotFound: plainError(`The business has no such order. ${more('not_found')}`, 404, 'Order not found'),
    NotModified: {
      description: 'The record is in a state that you named in `If-None-Match`: use what you have.',
      headers: { ...counted, ...entityTag },
    },
    PreconditionFailed: plainError(
      `The record is in another state than \`If-Match\` or \`If-None-Match\` asks for. Nothing was changed. ${more('precondition_failed')}`,
      412,
      'The record is not as If-Match or If-None-Match says',
    ),
    PayloadTooLarge: plainError(
      `The body is larger than 256 kB. ${more('payload_too_large')}`,
      413,
      'the body is larger than 256 kB',
    ),
    UnsupportedMediaType: plainError(
      `The body is not \`application/json\`, or in a charset or encoding that is not read. ${more('unsupported_media_type')}`,
      415,
      'Content-Type must be application/json',
    ),
    TooManyRequests: {
      description: `The rolling hour of the key or application is used up; or, without \`RateLimit\` headers, too many unknown
credentials came from this address. ${more('rate_limit_exceeded')}`,
      headers: { ...counted(false), ...retryAfter, ...help() },
      content: json(schema('TooManyRequests'), errorExample(429, 'Rate limit exceeded')),
    },
    ...unanswered(more),
    Other: {
      description: `Anything else, in the same form: 405 for a method that is not listed, 408, 411, 413 and 431 for what no
service can read, 500 for a fault of ours.`,
      headers: common,
      content: json(schema('Error'), errorExample(500, 'unexpected error')),
    },
  };
}

function unauthorized(what: string) {
  return {
    description: `The credential is missing, was never issued, was revoked, or has expired. ${what}`,
    headers: { ...common, ...challenge, ...help() },
    content: jsonOf(
      schema('Unauthorized'),
      Object.fromEntries(unauthorizedTexts.map((text) => [text, errorExample(401, text)])),
    ),
  };
}

/** The request was in order, and somebody behind the gateway did not answer. */
function unanswered(more: (id: string) => string) {
  return {
    BadGateway: plainError(
      `A service behind the gateway did not answer. ${more('bad_gateway')}`,
      502,
      'the service behind the gateway did not answer',
      retryAfter,
    ),
    Unavailable: plainError(
      `The request cannot be served at the moment. ${more('unavailable')}`,
      503,
      'authorization is not available at the moment',
      retryAfter,
    ),
    GatewayTimeout: plainError(
      `A service behind the gateway did not answer in time. A write may have happened. ${more('gateway_timeout')}`,
      504,
      'the service behind the gateway did not answer in time',
    ),
  };
}
