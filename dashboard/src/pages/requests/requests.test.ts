import { expect, test } from '@jest/globals';
import { findRequestId, isFiltered, parseFilter, serializeFilter, toQuery } from './requests.ts';

const all = {
  status: '5xx',
  reason: 'rate_limited',
  credential: 'key_1',
  from: '2026-11-01',
  to: '2026-11-02',
};

test('a filter survives its URL parameters', () => {
  const filter = parseFilter(new URLSearchParams(all));
  expect(filter).toEqual(all);
  expect(Object.fromEntries(serializeFilter(filter))).toEqual(all);
  expect(isFiltered(filter)).toBe(true);
});

test('invalid URL parameters are ignored', () => {
  const nonsense = { status: '200', reason: 'boredom', credential: '<b>', from: 'then', to: '2026-99-99' };
  const filter = parseFilter(new URLSearchParams(nonsense));
  expect(isFiltered(filter)).toBe(false);
  expect(String(serializeFilter(filter))).toBe('');
  expect(toQuery(filter)).toEqual({});
});

const id = '6f8d9bb2-6f0b-4b8e-9a52-7a9f0a4b4f60';

test.each([
  [id, id],
  [`  ${id.toUpperCase()}\n`, id],
  [`X-Request-Id: ${id}`, id],
  [`"${id}"`, id],
  ['', undefined],
  ['6f8d9bb2', undefined],
  ['key_1', undefined],
])('the request ID in %j is %p', (text, found) => {
  expect(findRequestId(text)).toBe(found);
});
