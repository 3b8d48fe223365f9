// Headers of answers. What is `required` is on every answer of its kind.
const requestId = {
  required: true,
  description: 'Names the request. Tell us when you ask about it.',
  schema: { type: 'string', format: 'uuid' },
};

const count = (description: string, required = true) => ({
  required,
  description,
  schema: { type: 'integer', minimum: 0 },
});

const pattern = (description: string, shape: string, required = true) => ({
  required,
  description,
  schema: { type: 'string', pattern: shape },
});

/** Of every answer. */
export const common = { 'X-Request-Id': requestId };

/** Of every answer to a request that was counted. @param required false where some answers of the kind were not */
export const counted = (required = true) => ({
  ...common,
  RateLimit: pattern(
    'Requests that are left (`r`), and seconds until the oldest counted ones are forgotten (`t`).',
    '^"hour";r=\\d+;t=\\d+$',
    required,
  ),
  'RateLimit-Policy': pattern(
    'Requests that a rolling hour admits (`q`).',
    '^"hour";q=\\d+;w=3600$',
    required,
  ),
  'X-RateLimit-Limit': count('The same as `q`.', required),
  'X-RateLimit-Remaining': count('The same as `r`.', required),
  'X-RateLimit-Reset': count('The same as `t`.', required),
});

export const retryAfter = { 'Retry-After': count('Seconds to wait before the same request is sent again.') };

export const challenge = {
  'WWW-Authenticate': pattern('What the caller has to show (RFC 6750).', '^Bearer( error="invalid_token")?$'),
};

export const insufficientScope = {
  'WWW-Authenticate': pattern(
    'Names the scope that is missing, where that is why (RFC 6750).',
    '^Bearer( error="insufficient_scope", scope="[a-z]+:[a-z]+")?$',
    false,
  ),
};

export const clientChallenge = {
  'WWW-Authenticate': pattern('How a client may show itself.', '^Basic realm="OAuth", charset="UTF-8"$'),
};

/** @param required false where some answers of the kind come without it */
export const help = (required = true) => ({
  Link: pattern(
    'The place in the documentation that explains this error.',
    '^<[^>]+>; rel="help"$',
    required,
  ),
});

/** Of an answer that shows one record. */
export const entityTag = {
  ETag: pattern(
    'Names this state of the record. Send it as `If-None-Match` to read the record only if it has changed, or as ' +
      '`If-Match` to change it only if it has not.',
    '^"[\\w-]+"$',
  ),
};

export const location = (description: string) => ({
  Location: { required: true, description, schema: { type: 'string', format: 'uri-reference' } },
});
