import { expect, test } from '@jest/globals';
import { narrowedRules, recordedSettings } from './replay.ts';

const to = (value: unknown) => ({ from: ['before'], to: value });

test('settings that an update has set are set again as they were, also against a later rule', () => {
  const details = {
    name: to('New'),
    redirectUris: to(['https://a.example/cb?state=x']),
    ipWhitelist: to(['192.0.2.1']),
    repeatLostRefresh: to(false),
  };
  expect(recordedSettings({ details })).toEqual({
    redirectUris: ['https://a.example/cb?state=x'],
    ipWhitelist: ['192.0.2.1'],
    repeatLostRefresh: false,
  });
});

test('a scope that this version does not know is left out, and what is no list', () => {
  const details = { scopes: to(['orders:read', 'orders:unknown']), allowedOrigins: to('https://a.example') };
  expect(recordedSettings({ details })).toEqual({ scopes: ['orders:read'] });
});

test('rules for keys of developers lose what was taken, gain nothing, and lose what cannot be read', () => {
  const rules = { secretKeys: true, scopes: ['orders:read', 'orders:write'] } as const;
  const narrowed = (details: Record<string, unknown>) => narrowedRules(rules, { details });
  expect(narrowed({ memberSecretKeys: to(false) })).toEqual({ ...rules, secretKeys: false });
  expect(narrowed({ memberScopes: to(['business:read', 'orders:read']) })).toEqual({
    secretKeys: true,
    scopes: ['orders:read'],
  });
  expect(narrowedRules({ ...rules, secretKeys: false }, { details: { memberSecretKeys: to(true) } })).toEqual(
    {
      ...rules,
      secretKeys: false,
    },
  );
  expect(narrowed({ memberSecretKeys: to('no'), memberScopes: to('none') })).toEqual({
    secretKeys: false,
    scopes: [],
  });
});
