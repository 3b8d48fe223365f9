import { expect, test } from '@jest/globals';
import { createConcurrencyLimit, createPasswordHasher, validatePassword } from './password.ts';

const hasher = createPasswordHasher();

test('hashes are argon2id with the parameters of OWASP', async () => {
  expect(await hasher.hash('correct horse')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('only the password itself matches, in any Unicode composition', async () => {
  const stored = await hasher.hash('caf\u00e9 au lait');
  expect(await hasher.matches('cafe\u0301 au lait', stored)).toBe(true);
  expect(await hasher.matches('cafe au lait', stored)).toBe(false);
});

test('no password matches when no hash is stored', async () => {
  expect(await hasher.matches('', undefined)).toBe(false);
});

const email = 'ada.lovelace@analytical.example';

test.each([
  'twelve chars',
  'correct horse battery',
  'äääöüßéèêëïîø',
  '🐢🦊🐙🦉🐝🐌🐛🦋🐞🕷🦂🐊',
  'x7'.repeat(5) + 'abcdefgh'.repeat(20),
])('a password of sufficient length is accepted: %s', (password) => {
  expect(validatePassword(password, email)).toBeUndefined();
});

test.each([
  ['', /Enter a password/],
  ['eleven char', /at least 12/],
  ['🐢'.repeat(11), /at least 12/],
  ['abcde'.repeat(41), /at most 200/],
])('a password that is too short or too long is refused: %j', (password, error) => {
  expect(validatePassword(password, email)).toMatch(error);
});

test.each([
  'ada.lovelace@analytical.example',
  'Lovelace-Analytical',
  'ANALYTICAL-example-42',
  'lovelacelovelace!',
])('a password made of words of the email address is refused: %s', (password) => {
  expect(validatePassword(password, email)).toMatch(/email address/);
});

test('a long passphrase may contain a word of the email address', () => {
  expect(validatePassword('lovelace danced with seven badgers', email)).toBeUndefined();
});

test.each([
  'Password1234',
  'qwertyuiop123',
  'aaaaaaaaaaaaaaa',
  'abababababab',
  'Correct Horse Battery Staple',
  'letmein-letmein',
  '123456789012',
])('a common password is refused: %s', (password) => {
  expect(validatePassword(password, email)).toMatch(/easy to guess/);
});

test('a concurrency limit runs all work in order of arrival, never more at once than allowed', async () => {
  const limited = createConcurrencyLimit(2, 10);
  const done: number[] = [];
  let running = 0;
  let most = 0;
  const work = (n: number) => async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    done.push(n);
    if (n === 3) throw new Error('a failure frees its slot');
    return n;
  };
  const results = await Promise.allSettled([1, 2, 3, 4, 5, 6].map((n) => limited(work(n))));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(most).toBe(2);
  expect(done).toEqual([1, 2, 3, 4, 5, 6]);
  await expect(limited(async () => 'free')).resolves.toBe('free');
});

test('a concurrency limit with a full queue refuses more work', async () => {
  const limited = createConcurrencyLimit(1, 1);
  const block = Promise.withResolvers<void>();
  const first = limited(() => block.promise);
  const second = limited(async () => 2);
  await expect(limited(async () => 3)).rejects.toMatchObject({ kind: 'unavailable' });
  block.resolve();
  await first;
  await expect(second).resolves.toBe(2);
});
