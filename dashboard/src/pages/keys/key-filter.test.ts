import { expect, test } from '@jest/globals';
import { everyKey, type KeyFilter, parseFilter, serializeFilter, toQuery } from './key-filter.ts';

test('a filter survives its URL parameters, and invalid ones are ignored', () => {
  const filter: KeyFilter = { text: 'a b&c', type: 'secret', status: 'soon', sort: 'last_used' };
  expect(parseFilter(serializeFilter(filter))).toEqual(filter);
  expect(String(serializeFilter(everyKey))).toBe('');
  expect(parseFilter(new URLSearchParams('type=public&status=gone&sort=size'))).toEqual(everyKey);
});

test('a secret in the search text is not written to URL parameters', () => {
  const text = `rk_${'0'.repeat(41)}ucbY`;
  expect(String(serializeFilter({ ...everyKey, text }))).toBe('search=ucbY');
});

test('a request has only the chosen filters, and none when every key is shown', () => {
  expect(toQuery({ text: 'till', type: 'secret', status: 'soon', sort: 'name' })).toEqual({
    search: 'till',
    keyType: 'secret',
    status: 'soon',
    sort: 'name',
  });
  expect(toQuery(everyKey)).toEqual({});
});
