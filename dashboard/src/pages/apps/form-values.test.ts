import { expect, test } from '@jest/globals';
import type { Application } from './api.ts';
import {
  changedFields,
  emptyValues,
  rowErrors,
  splitEntries,
  toFormValues,
  tooManyError,
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
  repeatLostRefresh: false,
  secrets: [],
  suspensions: [],
  connectedUsers: 0,
  connectedUserLimit: 50,
  createdAt: '2026-11-01T00:00:00Z',
  updatedAt: '2026-11-01T00:00:00Z',
};

const values = toFormValues(application);

test('values that were not edited are not sent', () => {
  expect(changedFields(values, values)).toEqual({});
  expect(changedFields(values, { ...values, scopes: ['orders:read', 'business:read'] })).toEqual({});
  expect(changedFields(values, { ...values, redirectUris: ['https://shop.example/callback', ' '] })).toEqual(
    {},
  );
});

test('only changed fields are sent', () => {
  expect(changedFields(values, { ...values, name: 'Till', ipWhitelist: ['192.0.2.1', ''] })).toEqual({
    name: 'Till',
    ipWhitelist: ['192.0.2.1'],
  });
  expect(changedFields(values, { ...values, allowedOrigins: ['https://tool.example', ''] })).toEqual({
    allowedOrigins: ['https://tool.example'],
  });
  expect(changedFields(values, { ...values, webhooksEnabled: true, webhookEvents: ['order.paid'] })).toEqual({
    webhooksEnabled: true,
    webhookEvents: ['order.paid'],
  });
});

test('blank rows are dropped, except the last one', () => {
  const withBlanks = { ...values, redirectUris: ['', ' '], ipWhitelist: [' 192.0.2.1', '', '192.0.2.2 '] };
  expect(withoutBlankRows(withBlanks)).toMatchObject({
    redirectUris: [''],
    ipWhitelist: ['192.0.2.1', '192.0.2.2'],
  });
  expect(toRequestBody(withBlanks)).toMatchObject({
    redirectUris: [],
    ipWhitelist: ['192.0.2.1', '192.0.2.2'],
  });
});

test('required fields are reported when they are empty', () => {
  expect(Object.keys(validate(emptyValues))).toEqual([
    'name',
    'description',
    'redirectUris.0',
    'scopes',
    'ipWhitelist.0',
  ]);
  expect(validate(values)).toEqual({});
});

test('an error of a list entry is shown at its row', () => {
  const errors = { name: 'x', 'ipWhitelist.0': 'first', 'ipWhitelist.2': 'third', 'redirectUris.1': 'y' };
  const found = rowErrors(errors, 'ipWhitelist', [' a', 'b', 'c']);
  expect([...found]).toEqual([
    ['a', 'first'],
    ['c', 'third'],
  ]);
  expect(rowErrors({ ipWhitelist: 'as a whole' }, 'ipWhitelist', ['a']).size).toBe(0);
});

test('a list says how many entries to remove, and blank rows do not count', () => {
  expect(tooManyError(['a', 'b', '', ' '], 2)).toBeUndefined();
  expect(tooManyError(['a', '', 'b', 'c', 'd'], 2)).toBe('At most 2 entries: remove 2.');
});

test.each([
  ['192.0.2.1', ['192.0.2.1']],
  ['192.0.2.1\n192.0.2.0/24\r\n2001:db8::1\n', ['192.0.2.1', '192.0.2.0/24', '2001:db8::1']],
  ['192.0.2.1, 192.0.2.2;192.0.2.3', ['192.0.2.1', '192.0.2.2', '192.0.2.3']],
  ['  ', []],
])('%j is pasted as %j', (text, entries) => {
  expect(splitEntries(text)).toEqual(entries);
});
