import { expect, test } from '@jest/globals';
import { recordedSettings } from './replay.ts';

const to = (value: unknown) => ({ from: ['before'], to: value });

test('settings that an update has set are set again as they were, also against a later rule', () => {
  const details = {
    name: to('New'),
    redirectUris: to(['https://a.example/cb?state=x']),
    ipWhitelist: to(['192.0.2.1']),
  };
  expect(recordedSettings({ details })).toEqual({
    redirectUris: ['https://a.example/cb?state=x'],
    ipWhitelist: ['192.0.2.1'],
  });
});

test('a scope that this version does not know is left out, and what is no list', () => {
  const details = { scopes: to(['orders:read', 'orders:unknown']), allowedOrigins: to('https://a.example') };
  expect(recordedSettings({ details })).toEqual({ scopes: ['orders:read'] });
});
