import { describe, expect, test } from '@jest/globals';
import { FieldError, HttpError } from '@platform/service-kit/http/errors.ts';
import { InputError } from '@platform/service-kit/input/validation.ts';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { headerValueOf, InvalidRequest, withPart } from './invalid-input.ts';

describe('an invalid request names the part that was read and the field of the error:', () => {
  test.each([
    ['a schema', new InputError('x', 'limit: is wrong', 'limit'), 400, 'invalid_query limit'],
    ['a duplicate', new FieldError('limit', 'is given twice'), 400, 'invalid_query limit'],
    ['a reader without a name', new HttpError(400, 'is wrong'), 400, 'invalid_query'],
    ['a media type', new HttpError(415, 'is wrong'), 415, 'invalid_header Content-Type'],
  ])('%s', (_, error, status, value) => {
    const invalid = withPart('invalid_query', error);
    if (!(invalid instanceof InvalidRequest)) throw new Error('the part is missing');
    expect([invalid.status, invalid.message]).toEqual([status, error.message]);
    expect(headerValueOf(invalid.input)).toBe(value);
  });

  test('an error of a parser or a database stays as it is', () => {
    const error = Object.assign(new Error('aborted'), { status: 400 });
    expect(withPart('invalid_json', error)).toBe(error);
  });
});

const secret = createCheckedToken('sk');

describe('the name in the header is printable, bounded and without a secret:', () => {
  test.each([
    ['line_items[0].unit_amount', 'line_items[0].unit_amount'],
    ['größe\r\nX-Forged: 1', 'gr??e??X-Forged: 1'],
    [secret, 'sk_[redacted]'],
    [`metadata.${secret}`, 'metadata.sk_[redacted]'],
    [encodeURIComponent(secret).replace('_', '%5F'), 'sk_[redacted]'],
    ['a b '.repeat(50), 'a b '.repeat(25).trimEnd()],
    ['\udf75', '?'],
  ])('%j', (field, name) => {
    expect(headerValueOf({ reason: 'invalid_body', field })).toBe(`invalid_body ${name}`);
  });

  test('no beginning of a truncated secret remains in the name', () => {
    const { field } = new FieldError(`${'a-'.repeat(40)}${secret}`, 'is given twice');
    expect(field).toContain(secret.slice(0, 20));
    expect(headerValueOf({ reason: 'invalid_json', field })).not.toContain('sk_');
  });
});
