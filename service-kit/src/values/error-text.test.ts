import { expect, test } from '@jest/globals';
import { errorText } from './error-text.ts';

const refused = (address: string) => new Error(`connect ECONNREFUSED ${address}`);

test.each<[string, unknown, string]>([
  ['an error', new Error('no route'), 'no route'],
  [
    'an error with a cause',
    new TypeError('fetch failed', { cause: refused('::1') }),
    'connect ECONNREFUSED ::1',
  ],
  ['an error with a code alone', Object.assign(new Error(''), { code: 'ETIMEDOUT' }), 'ETIMEDOUT'],
  ['an error without any text', new RangeError(''), 'RangeError'],
  ['a thrown text', 'no', 'no'],
  [
    'a name whose addresses all refuse',
    new TypeError('fetch failed', { cause: new AggregateError([refused('::1'), refused('127.0.0.1')]) }),
    'connect ECONNREFUSED ::1, connect ECONNREFUSED 127.0.0.1',
  ],
])('the text of %s is its reason', (_, error, text) => {
  expect(errorText(error)).toBe(text);
});
