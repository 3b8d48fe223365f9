import { expect, test } from '@jest/globals';
import type { Application } from './api.ts';
import {
  changedFields,
  emptyValues,
  rowErrors,
  splitEntries,
  toFormValues,
  toRequestBody,
  validate,
  withoutBlankRows,
} from './form-values.ts';

const application: Application = {
  id: 'apl_1',
  clientId: 'app_1',
  name: 'Shop',
  description: 'Sends orders out',
  redirectUris: ['https://shop.example/callback'],
  scopes: ['business:read', 'orders:read'],
  ipWhitelist: ['192.0.2.1', '192.0.2.2'],
  allowedOrigins: [],
  webhooksEnabled: false,
  webhookEvents: [],
  secrets: [],
  connectedUsers: 0,
  connectedUserLimit: 50,
  createdAt: '2026-11-01T00:00:00Z',
  updatedAt: '2026-11-01T00:00:00Z',
};

const draft = toFormValues(application);

test('a draft of an app as it is changes nothing', () => {
  expect(changedFields(draft, draft)).toEqual({});
  expect(changedFields(draft, { ...draft, scopes: ['orders:read', 'business:read'] })).toEqual({});
  expect(changedFields(draft, { ...draft, redirectUris: ['https://shop.example/callback', ' '] })).toEqual(
    {},
  );
});

test('only what differs is sent', () => {
  expect(changedFields(draft, { ...draft, name: 'Till', ipWhitelist: ['192.0.2.1', ''] })).toEqual({
    name: 'Till',
    ipWhitelist: ['192.0.2.1'],
  });
  expect(changedFields(draft, { ...draft, allowedOrigins: ['https://tool.example', ''] })).toEqual({
    allowedOrigins: ['https://tool.example'],
  });
  expect(changedFields(draft, { ...draft, webhooksEnabled: true, webhookEvents: ['order.paid'] })).toEqual({
    webhooksEnabled: true,
    webhookEvents: ['order.paid'],
  });
});

test('empty rows are left out, but for the last one', () => {
  const untidy = { ...draft, redirectUris: ['', ' '], ipWhitelist: [' 192.0.2.1', '', '192.0.2.2 '] };
  expect(withoutBlankRows(untidy)).toMatchObject({
    redirectUris: [''],
    ipWhitelist: ['192.0.2.1', '192.0.2.2'],
  });
  expect(toRequestBody(untidy)).toMatchObject({ redirectUris: [], ipWhitelist: ['192.0.2.1', '192.0.2.2'] });
});

test('a new app lacks everything that is required', () => {
  const missing = Object.entries(validate(emptyValues)).filter(([, fault]) => fault !== null);
  expect(missing.map(([field]) => field)).toEqual([
    'name',
    'description',
    'redirectUris.0',
    'scopes',
    'ipWhitelist.0',
  ]);
  expect(Object.values(validate(draft)).filter((fault) => fault !== null)).toEqual([]);
});

test('faults of a list belong to its entries', () => {
  const faults = { name: 'x', 'ipWhitelist.0': 'first', 'ipWhitelist.2': 'third', 'redirectUris.1': 'y' };
  const found = rowErrors(faults, 'ipWhitelist', [' a', 'b', 'c']);
  expect([...found]).toEqual([
    ['a', 'first'],
    ['c', 'third'],
  ]);
  expect(rowErrors({ ipWhitelist: 'as a whole', 'ipWhitelist.0': null }, 'ipWhitelist', ['a']).size).toBe(0);
});

test.each([
  ['192.0.2.1', ['192.0.2.1']],
  ['192.0.2.1\n192.0.2.0/24\r\n2001:db8::1\n', ['192.0.2.1', '192.0.2.0/24', '2001:db8::1']],
  ['192.0.2.1, 192.0.2.2;192.0.2.3', ['192.0.2.1', '192.0.2.2', '192.0.2.3']],
  ['  ', []],
])('%j is pasted as %j', (text, entries) => {
  expect(splitEntries(text)).toEqual(entries);
});
