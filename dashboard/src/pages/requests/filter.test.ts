import { describe, expect, test } from '@jest/globals';
import {
  findRequestId,
  isFiltered,
  parseFilter,
  readAddress,
  readSearch,
  serializeFilter,
  toQuery,
} from './filter.ts';

const now = Date.UTC(2026, 10, 29, 12);

const all = {
  status: '5xx',
  reason: 'rate_limited',
  credential: 'key_1',
  method: 'GET',
  route: '/v2/order/{id}',
  address: '192.0.2.7',
  text: 'ord_1 & more',
  span: 'between',
  from: '2026-11-01T08:30',
  to: '2026-11-02T23:59',
};

test('a filter survives its URL parameters', () => {
  const filter = parseFilter(new URLSearchParams(all));
  expect(filter).toEqual(all);
  expect(Object.fromEntries(serializeFilter(filter))).toEqual(all);
  expect(isFiltered(filter)).toBe(true);
});

test('invalid URL parameters are ignored', () => {
  const nonsense = {
    status: '600',
    reason: 'bore-dom',
    credential: '<b>',
    method: 'get',
    route: 'v2',
    address: '192.0.2.300',
    text: '  ',
    span: '3d',
    from: 'then',
    to: '2026-99-99',
  };
  const filter = parseFilter(new URLSearchParams(nonsense));
  expect(isFiltered(filter)).toBe(false);
  expect(String(serializeFilter(filter))).toBe('');
  expect(toQuery(filter, now)).toEqual({});
});

test('a single status and a time until now become a query', () => {
  const filter = parseFilter(new URLSearchParams({ status: '429', span: '1h' }));
  expect(toQuery(filter, now)).toEqual({ status: '429', from: '2026-11-29T11:00:00.000Z' });
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

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:DB8:0::1', '2001:db8::1'],
  ['::1', '::1'],
  ['192.0.2', undefined],
  ['192.0.2.07', undefined],
  ['12:30:15', undefined],
  ['ord_1', undefined],
  ['', undefined],
])('the address %j is %p', (text, address) => {
  expect(readAddress(text)).toBe(address);
});

describe('a search asks for', () => {
  test.each([
    [' 192.0.2.7 ', { address: '192.0.2.7', text: undefined }],
    [' ord_1 ', { address: undefined, text: 'ord_1' }],
    ['  ', { address: undefined, text: undefined }],
  ])('%j', (typed, wanted) => {
    expect(readSearch(typed)).toEqual(wanted);
  });
});
