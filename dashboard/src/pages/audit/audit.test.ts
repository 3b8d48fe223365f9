import { expect, test } from '@jest/globals';
import { isFiltered, parseFilter, serializeFilter, subjectLink, toQuery } from './audit.ts';

test('a filter survives its URL parameters', () => {
  const all = { action: 'api_key.*', actor: 'person:per_1', from: '2026-11-01', to: '2026-11-02' };
  const filter = parseFilter(new URLSearchParams(all));
  expect(filter).toEqual(all);
  expect(Object.fromEntries(serializeFilter(filter))).toEqual(all);
  expect(isFiltered(filter)).toBe(true);
});

test('invalid URL parameters are ignored', () => {
  const nonsense = { action: 'teapot', actor: 'robot:1', from: 'then', to: '' };
  const filter = parseFilter(new URLSearchParams(nonsense));
  expect(isFiltered(filter)).toBe(false);
  expect(toQuery(filter)).toEqual({});
});

const subject = { id: 'id_1', name: 'Tea', exists: true };

test.each([
  ['api_key', '/settings/developers/keys/id_1'],
  ['application', '/settings/developers/apps/id_1'],
  ['grant', '/connected'],
  ['person', '/settings/business'],
  ['member', '/settings/business'],
  ['business', '/settings/business'],
  ['access_token', undefined],
])('%s links to %p', (kind, link) => {
  expect(subjectLink({ ...subject, kind })).toBe(link);
});

test('a deleted subject has no link', () => {
  expect(subjectLink({ ...subject, kind: 'api_key', exists: false })).toBeUndefined();
});
