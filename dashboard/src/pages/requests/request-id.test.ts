import { expect, test } from '@jest/globals';
import { requestIdIn } from './request-id.ts';

const id = '6f8d9bb2-6f0b-4b8e-9a52-7a9f0a4b4f60';

test.each([
  [id, id],
  [`  ${id.toUpperCase()}\n`, id],
  [`X-Request-Id: ${id}`, id],
  [`"${id}"`, id],
  ['', undefined],
  ['6f8d9bb2', undefined],
  ['key_1', undefined],
])('in %j it is %p', (text, found) => {
  expect(requestIdIn(text)).toBe(found);
});
