import { expect, test } from '@jest/globals';
import { narrowedRules, recordedSettings } from './replay.ts';

const to = (value: unknown) => ({ from: ['before'], to: value });

test('recorded settings are restored unchanged, even if a later rule would refuse them', () => {
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

test('unknown scopes and values that are not lists are left out', () => {
  const details = { scopes: to(['orders:read', 'orders:unknown']), allowedOrigins: to('https://a.example') };
  expect(recordedSettings({ details })).toEqual({ scopes: ['orders:read'] });
});

test('the rules for keys of developers only become narrower, also by values that cannot be read', () => {
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
