import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { readConfig, secret } from './config.ts';
import type { Environment } from './config-files.ts';

const directory = mkdtempSync(join(tmpdir(), 'config-files-'));
afterAll(() => rmSync(directory, { recursive: true }));

const pepper = 'b1946ac92492d2347c6235b4d2611184';
const schema = z.object({ PEPPER: secret(32), LIST: z.string().optional() }).superRefine(
  (value, context) => {
    if (value.PEPPER === undefined)
      context.addIssue({ code: 'custom', path: ['PEPPER'], message: 'missing' });
  },
  { when: () => true },
);

function fileOf(content: string): string {
  const path = join(directory, `file-${Math.random()}`);
  writeFileSync(path, content);
  return path;
}

const read = (environment: Environment) => readConfig(schema, environment);

test.each(['', '\n', '\r\n'])('a variable is read from a file without %j at its end', (end) => {
  expect(read({ PEPPER_FILE: fileOf(pepper + end) })).toEqual({ PEPPER: pepper });
});

test('blanks and all newlines except the last are kept', () => {
  expect(read({ PEPPER: pepper, LIST_FILE: fileOf(' a\nb \n\n') }).LIST).toBe(' a\nb \n');
});

test('an empty name of a file counts as absent', () => {
  expect(read({ PEPPER: pepper, PEPPER_FILE: '' })).toEqual({ PEPPER: pepper });
});

test.each([
  [
    'both set',
    () => ({ PEPPER: pepper, PEPPER_FILE: fileOf(pepper) }),
    'PEPPER: is set, and PEPPER_FILE as well: keep one of them',
  ],
  [
    'no such file',
    () => ({ PEPPER_FILE: join(directory, 'none') }),
    'PEPPER: PEPPER_FILE cannot be read (ENOENT)',
  ],
  ['a directory', () => ({ PEPPER_FILE: directory }), 'PEPPER: PEPPER_FILE cannot be read (EISDIR)'],
  ['an empty file', () => ({ PEPPER_FILE: fileOf('\n') }), 'PEPPER: PEPPER_FILE is empty'],
  ['an invalid content', () => ({ PEPPER_FILE: fileOf('tiny') }), 'PEPPER: must have at least 32 characters'],
])('a file for a variable is refused in one sentence without the value: %s', (_, environment, message) => {
  const failed = () => read(environment());
  expect(failed).toThrow(message);
  expect(failed).not.toThrow(/is not set|missing|b1946|\btiny\b/);
});

test('variables that are not in the schema are ignored, such as SSL_CERT_FILE of OpenSSL', () => {
  expect(read({ PEPPER: pepper, SSL_CERT_FILE: '/nowhere' })).toEqual({ PEPPER: pepper });
});
