import { commonPasswords } from './common-passwords.ts';

const minLength = 12;
const maxLength = 200;
/** Words shorter than this are in everything. */
const minWordLength = 4;

/**
 * What is wrong with a new password (NIST SP 800-63B: length, and nothing that is easily guessed; no rules about kinds of
 * characters). Words of the owner's mail address do not count towards the length.
 */
export function passwordFault(password: string, email: string): string | undefined {
  const length = [...password].length;
  if (length === 0) return 'Enter a password.';
  if (length < minLength) return `Use at least ${minLength} characters.`;
  if (length > maxLength) return `Use at most ${maxLength} characters.`;
  if (!password.isWellFormed()) return 'Leave out what is no character.';
  if ([...withoutWordsOf(email, password)].length < minLength) {
    return `Besides your email address, use at least ${minLength} characters.`;
  }
  return isEasilyGuessed(password) ? 'This password is easily guessed. Choose another one.' : undefined;
}

function withoutWordsOf(email: string, password: string): string {
  const words = [email, ...email.split(/[^\p{L}\p{N}]+/u)].filter((word) => word.length >= minWordLength);
  return words.reduce((rest, word) => rest.replaceAll(word.toLowerCase(), ''), password.toLowerCase());
}

function isEasilyGuessed(password: string): boolean {
  const plain = password.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const isPattern = new Set(password.toLowerCase()).size < 5;
  return isPattern || commonPasswords.has(plain) || commonPasswords.has(plain.replace(/\d+$/, ''));
}
