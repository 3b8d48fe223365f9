import { expect, test } from '@jest/globals';
import type { KeyLifetime } from '../credentials/key-lifetimes/lifetime.ts';
import { narrowedRules, recordedSettings, stricterLifetime } from './replay.ts';

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

test('Values that are not lists are left out, and scopes that the API has no longer stay.', () => {
  const scopes = ['invoices:read', 'orders:read'];
  const details = { scopes: to(scopes), allowedOrigins: to('https://a.example') };
  expect(recordedSettings({ details })).toEqual({ scopes });
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

test('the rule for the end of keys only becomes stricter, also by values that cannot be read', () => {
  const stricter = (before: KeyLifetime | undefined, details: Record<string, unknown>) =>
    stricterLifetime(before, { details });
  const anyEnd = { maxDays: undefined };
  expect(stricter(undefined, { keyEndRequired: to(true) })).toEqual(anyEnd);
  expect(stricter(undefined, { keyEndRequired: to(true), keyMaxDays: to(90) })).toEqual({ maxDays: 90 });
  expect(stricter({ maxDays: 30 }, { keyMaxDays: to(90) })).toEqual({ maxDays: 30 });
  expect(stricter({ maxDays: 30 }, { keyEndRequired: to(false), keyMaxDays: to(null) })).toEqual({
    maxDays: 30,
  });
  expect(stricter(anyEnd, { keyEndRequired: to(false) })).toEqual(anyEnd);
  expect(stricter(undefined, { keyEndRequired: to('yes'), keyMaxDays: to('some') })).toEqual(anyEnd);
  expect(stricter(undefined, { keyEndRequired: to(false) })).toBeUndefined();
});
