import { expect, test } from '@jest/globals';
import { ApiError, alertText } from './errors.ts';

const invalid = (fields: Record<string, string>) =>
  new ApiError(400, 'Check the highlighted fields.', { fields });

test('an alert leaves out what the controls of a form show', () => {
  expect(alertText(invalid({ name: 'must not be empty' }), ['name'])).toBeUndefined();
});

test('an alert shows errors of fields without a control, even when a control shows another error', () => {
  const error = invalid({
    name: 'must not be empty',
    credential: 'The browser took too long.',
    id: 'is gone',
  });
  expect(alertText(error, ['name'])).toBe('The browser took too long. Is gone.');
  expect(alertText(invalid({ 'passkey.id': 'is not known' }), ['passkey'])).toBe('Is not known.');
});

test('an alert shows the message of an error without fields, and of any error when no control is named', () => {
  expect(alertText(new ApiError(429, 'Too many attempts.', {}), ['name'])).toBe('Too many attempts.');
  expect(alertText(new TypeError('x is undefined'), ['name'])).toBe('Something went wrong on this page.');
  expect(alertText(invalid({ name: 'must not be empty' }))).toBe('Check the highlighted fields.');
});
