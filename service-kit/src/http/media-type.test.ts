import { describe, expect, test } from '@jest/globals';
import { mediaTypeOf } from './media-type.ts';

const json = 'application/json';

const form = 'application/x-www-form-urlencoded';

const read = (contentType: string | undefined) => mediaTypeOf(contentType, [json, form]);

describe('a media type is read', () => {
  test.each([
    [json, json],
    ['Application/JSON', json],
    ['application/json;', json],
    ['application/json ; charset=UTF-8', json],
    ['application/json; charset=utf8', json],
    ['application/json;charset="utf-8"', json],
    ['application/json; charset', json],
    ['application/json; odata=verbose', json],
    ['application/json; odata=verbose; charset=Utf-8;', json],
    [`${form};charset=UTF-8`, form],
  ])('from %j', (contentType, type) => {
    expect(read(contentType)).toBe(type);
  });
});

test.each([
  undefined,
  '',
  'json',
  'text/json',
  'application/json5',
  'application/vnd.api+json',
  'application/json, application/json',
])('the Content-Type %j is refused, and the error names the accepted types', (contentType) => {
  const text = 'Content-Type must be application/json or application/x-www-form-urlencoded';
  expect(() => read(contentType)).toThrow(expect.objectContaining({ status: 415, message: text }));
});

test.each(['iso-8859-1', 'utf-16', 'us-ascii', 'nonsense'])('the charset %s is refused', (charset) => {
  for (const type of [json, form]) {
    expect(() => read(`${type}; charset=${charset}`)).toThrow(
      expect.objectContaining({ status: 415, message: 'the charset of the body must be UTF-8' }),
    );
  }
});
