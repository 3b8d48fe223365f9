import { describe, expect, test } from '@jest/globals';
import { assertion, relyingPartyOf, userHandleOf } from './passkey.ts';

describe('passkeys have the relying party of the public URL', () => {
  test.each([
    ['https://api.example.com', { id: 'api.example.com', origin: 'https://api.example.com' }],
    ['https://api.example.com:8443', { id: 'api.example.com', origin: 'https://api.example.com:8443' }],
    ['http://localhost:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
    // Browsers have none for an address: the same machine has a name.
    ['http://127.0.0.1:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
    ['http://127.0.0.1', { id: 'localhost', origin: 'http://localhost' }],
    ['http://[::1]:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
    ['https://192.0.2.1', undefined],
    ['https://[2001:db8::1]:8443', undefined],
  ])('%s', (publicUrl, expected) => {
    expect(relyingPartyOf(publicUrl)).toEqual(expected);
  });
});

test('the user handle of a person is the id, which is short enough for authenticators', () => {
  const handle = userHandleOf('per_0123456789abcdef01234567');
  expect(Buffer.from(handle).toString()).toBe('per_0123456789abcdef01234567');
  expect(handle.length).toBeLessThanOrEqual(64);
});

test('unknown fields that browsers may add are dropped', () => {
  const part = 'AA';
  const response = { clientDataJSON: part, authenticatorData: part, signature: part };
  const sent = { id: part, rawId: part, type: 'public-key', response, clientExtensionResults: {}, later: 1 };
  expect(assertion.parse({ ...sent, response: { ...response, later: 1 } })).toEqual({
    id: part,
    rawId: part,
    type: 'public-key',
    response,
  });
});
