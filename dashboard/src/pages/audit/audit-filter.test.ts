import { expect, test } from '@jest/globals';
import { isNarrowed, queryOf, readFilter, writeFilter } from './audit-filter.ts';

test('a filter is what its address says, and back', () => {
  const all = { action: 'api_key.*', actor: 'person:per_1', from: '2026-11-01', to: '2026-11-02' };
  const filter = readFilter(new URLSearchParams(all));
  expect(filter).toEqual(all);
  expect(Object.fromEntries(writeFilter(filter))).toEqual(all);
  expect(isNarrowed(filter)).toBe(true);
});

test('what makes no sense in an address is left out', () => {
  const nonsense = { action: 'teapot.*', actor: 'robot:1', from: 'then', to: '' };
  const filter = readFilter(new URLSearchParams(nonsense));
  expect(isNarrowed(filter)).toBe(false);
  expect(queryOf(filter)).toEqual({});
});
