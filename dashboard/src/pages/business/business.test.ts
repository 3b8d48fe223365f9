import { expect, test } from '@jest/globals';
import { allCountries, countryName } from './business.ts';

test('every country is listed once, under its current code', () => {
  const all = allCountries();
  const codes = all.map(({ value }) => value);
  expect(codes).toEqual(expect.arrayContaining(['DE', 'GB', 'US', 'JP', 'BR', 'XK', 'TW']));
  for (const code of ['DD', 'SU', 'YU', 'UK', 'EU', 'UN', 'ZZ', 'QO']) expect(codes).not.toContain(code);
  expect(new Set(all.map(({ label }) => label)).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(240);
  expect(all.length).toBeLessThan(260);
});

test('countries are sorted by name, and an unknown code has no name', () => {
  const names = allCountries().map(({ label }) => label);
  expect(names.slice(0, 2)).toEqual(['Afghanistan', 'Åland Islands']);
  expect([countryName('GB'), countryName('QQ')]).toEqual(['United Kingdom', 'QQ']);
});
