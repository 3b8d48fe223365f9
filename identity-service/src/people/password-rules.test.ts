import { expect, test } from '@jest/globals';
import { passwordFault } from './password-rules.ts';

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
