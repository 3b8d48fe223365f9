import { expect, test } from '@jest/globals';
import { createPasswordHasher, createTurnstile, passwordFault } from './password.ts';

const hasher = createPasswordHasher();

test('argon2id with the parameters of OWASP', async () => {
  expect(await hasher.hash('correct horse')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('only the password itself matches, however it is composed', async () => {
  const stored = await hasher.hash('caf\u00e9 au lait');
  expect(await hasher.matches('cafe\u0301 au lait', stored)).toBe(true);
  expect(await hasher.matches('cafe au lait', stored)).toBe(false);
});

test('nothing matches nobody', async () => {
  expect(await hasher.matches('', undefined)).toBe(false);
});

const email = 'ada.lovelace@analytical.example';

test.each([
  'twelve chars',
  'correct horse battery',
  'äääöüßéèêëïîø',
  '🐢🦊🐙🦉🐝🐌🐛🦋🐞🕷🦂🐊',
  'x7'.repeat(5) + 'abcdefgh'.repeat(20),
])('length is what counts: %s', (password) => {
  expect(passwordFault(password, email)).toBeUndefined();
});

test.each([
  ['', /Enter a password/],
  ['eleven char', /at least 12/],
  ['🐢'.repeat(11), /at least 12/],
  ['abcde'.repeat(41), /at most 200/],
])('too short or too long: %j', (password, fault) => {
  expect(passwordFault(password, email)).toMatch(fault);
});

test.each([
  'ada.lovelace@analytical.example',
  'Lovelace-Analytical',
  'ANALYTICAL-example-42',
  'lovelacelovelace!',
])("the mail address's own words do not count: %s", (password) => {
  expect(passwordFault(password, email)).toMatch(/email address/);
});

test('a long passphrase may hold such a word', () => {
  expect(passwordFault('lovelace danced with seven badgers', email)).toBeUndefined();
});

test.each([
  'Password1234',
  'qwertyuiop123',
  'aaaaaaaaaaaaaaa',
  'abababababab',
  'Correct Horse Battery Staple',
  'letmein-letmein',
  '123456789012',
])('what many people think of is refused: %s', (password) => {
  expect(passwordFault(password, email)).toMatch(/easily guessed/);
});

test('never more at once than allowed, in order of arrival, and everybody gets through', async () => {
  const turnstile = createTurnstile(2, 10);
  const done: number[] = [];
  let running = 0;
  let most = 0;
  const work = (n: number) => async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    done.push(n);
    if (n === 3) throw new Error('a failure keeps no place');
    return n;
  };
  const results = await Promise.allSettled([1, 2, 3, 4, 5, 6].map((n) => turnstile(work(n))));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(most).toBe(2);
  expect(done).toEqual([1, 2, 3, 4, 5, 6]);
  await expect(turnstile(async () => 'free')).resolves.toBe('free');
});

test('who comes when the queue is full is sent away', async () => {
  const turnstile = createTurnstile(1, 1);
  const block = Promise.withResolvers<void>();
  const first = turnstile(() => block.promise);
  const second = turnstile(async () => 2);
  await expect(turnstile(async () => 3)).rejects.toMatchObject({ kind: 'unavailable' });
  block.resolve();
  await first;
  await expect(second).resolves.toBe(2);
});
