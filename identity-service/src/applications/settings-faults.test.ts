import { expect, test } from '@jest/globals';
import { findSettingsFaults } from './settings-faults.ts';

const settings = {
  name: 'Shop',
  description: 'Sends orders out',
  redirectUris: ['https://shop.example/callback', 'http://127.0.0.1/callback'],
  scopes: ['orders:read'],
  ipWhitelist: ['192.0.2.1'],
  webhooksEnabled: false,
  webhookEvents: [],
  allowedOrigins: [],
};

test('settings without a fault have none', () => {
  expect(findSettingsFaults(settings)).toEqual({});
});

test('every field with a fault is named at once, and in a list the entry', () => {
  const faulty = {
    name: ' ',
    description: '',
    redirectUris: ['https://shop.example/callback', 'http://shop.example/', 'https://shop.example/*'],
    scopes: [],
    ipWhitelist: ['192.0.2.1', 'localhost'],
    webhooksEnabled: true,
    webhookEvents: ['order.lost'],
    allowedOrigins: ['https://shop.example', '*'],
  };
  expect(findSettingsFaults(faulty)).toEqual({
    name: 'name must be one line of 1 to 100 characters',
    description: 'description must have 1 to 500 characters',
    'redirectUris.1': 'a redirect URI uses https; http is for loopback addresses only',
    'redirectUris.2': 'a redirect URI has no wildcards',
    scopes: 'an application needs at least one scope',
    'ipWhitelist.1': '"localhost" is no IP address or network',
    webhookEvents: expect.stringContaining('must be among'),
    'allowedOrigins.1': 'an allowed origin has no wildcards',
  });
});

test.each([
  ['empty', []],
  ['given twice', ['https://shop.example/a', 'https://shop.example/a']],
])('a list that is %s has a fault as a whole', (_, redirectUris) => {
  expect(Object.keys(findSettingsFaults({ redirectUris }))).toEqual(['redirectUris']);
});

test('what is not given has no fault', () => {
  expect(findSettingsFaults({ name: 'Shop' })).toEqual({});
});
