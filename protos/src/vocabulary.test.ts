import { expect, test } from '@jest/globals';
import {
  eventAudience,
  invalidReasons,
  isEventScope,
  isRefusal,
  parseInvalidInput,
  refusals,
} from './vocabulary.ts';

test.each([
  ['order.paid', 'orders:read'],
  ['business.verified', 'business:read'],
  ['application.connected', 'application'],
  ['api_key.expired', 'business'],
  ['order', undefined],
  ['', undefined],
  ['constructor.name', undefined],
])('the audience of %j is %s', (type, audience) => expect(eventAudience(type)).toBe(audience));

test('An audience is a scope, an application, or the business itself.', () => {
  const audiences = ['order.paid', 'business.verified', 'application.connected', 'api_key.expired', ''];
  expect(audiences.map(eventAudience).filter(isEventScope)).toEqual(['orders:read', 'business:read']);
});

test('refusals are lower-case words, and the zero value of the enum is not among them', () => {
  expect(refusals).toContain('rate_limited');
  expect(refusals.every((refusal) => /^[a-z_]+$/.test(refusal))).toBe(true);
  expect(isRefusal('unspecified')).toBe(false);
  expect(isRefusal('HPE_INVALID_METHOD')).toBe(false);
});

test('invalid parts of a request have refusal reasons of their own', () => {
  expect(invalidReasons).toEqual([
    'invalid_json',
    'invalid_query',
    'invalid_body',
    'invalid_header',
    'invalid_path',
  ]);
  expect(invalidReasons.filter(isRefusal)).toEqual([]);
});

const long = 'x'.repeat(100);

test.each([
  ['invalid_query limit', { reason: 'invalid_query', field: 'limit' }],
  ['invalid_body line_items[0].unit price', { reason: 'invalid_body', field: 'line_items[0].unit price' }],
  ['invalid_json', { reason: 'invalid_json', field: '' }],
  [`invalid_body ${long}`, { reason: 'invalid_body', field: long }],
  [`invalid_body ${long}x`, undefined],
  ['invalid_body b\u00e9', undefined],
  ['invalid_unspecified x', undefined],
  ['rate_limited', undefined],
  ['', undefined],
])('the header value %j is parsed to a known reason and a bounded name', (value, expected) => {
  expect(parseInvalidInput(value)).toEqual(expected);
});
