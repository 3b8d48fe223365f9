import { expect, jest, test } from '@jest/globals';
import { badPassports, makePassportKey, signPassport } from '../../tests/harness/passports.ts';
import { createPassportVerifier, type KeySet } from './passport.ts';

const key = await makePassportKey();
const bad = await badPassports(key);
const published = (...keys: readonly (typeof key)[]) =>
  ({ keys: keys.map((each) => each.published) }) as KeySet;

test('a passport for the upstream is accepted, with its business and its scopes', async () => {
  const verify = createPassportVerifier(async () => published(key), 'invoices');
  expect(await verify(await signPassport(key))).toMatchObject({
    sub: 'key_1',
    business_id: 7,
    credential_type: 'restricted_key',
    scope: 'invoices:read',
  });
});

test.each(Object.keys(bad))('a token %s is refused', async (what) => {
  const verify = createPassportVerifier(async () => published(key), 'invoices');
  expect(await verify(bad[what] ?? 'missing')).toBeUndefined();
});

test('requests that come while the keys are read wait for them', async () => {
  const verify = createPassportVerifier(async () => published(key), 'invoices');
  const token = await signPassport(key);
  expect((await Promise.all([verify(token), verify(token)])).map((found) => found?.sub)).toEqual([
    'key_1',
    'key_1',
  ]);
});

test('the keys are read once, and again for a key that signs for the first time', async () => {
  const next = await makePassportKey();
  const reads: KeySet[] = [];
  const sets = [published(key), published(key, next)];
  const readKeys = async () => {
    reads.push(sets[reads.length] ?? published());
    return reads.at(-1) ?? published();
  };
  const verify = createPassportVerifier(readKeys, 'invoices');
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  for (let n = 0; n < 2; n++) {
    expect(await verify(await signPassport(key))).toBeDefined();
    expect(await verify(await signPassport(next))).toBeUndefined();
  }
  expect(reads).toHaveLength(1);
  clock.mockReturnValue(2_000);
  expect(await verify(await signPassport(next))).toBeDefined();
  expect(await verify(await signPassport(key))).toBeDefined();
  expect(reads).toHaveLength(2);
  clock.mockRestore();
});
