import { describe, expect, test } from '@jest/globals';
import { judgeCallback } from './judge-callback.ts';

const issuer = 'http://127.0.0.1:8080';
const pending = { state: 'the-state', codeVerifier: 'the-verifier' };
const judge = (query: Record<string, string>, asked: typeof pending | undefined = pending) =>
  judgeCallback(new URLSearchParams(query), asked, issuer);

describe('a callback', () => {
  test('brings a code', () => {
    expect(judge({ code: 'ac', state: 'the-state', iss: issuer })).toEqual({
      kind: 'code',
      code: 'ac',
      codeVerifier: 'the-verifier',
    });
  });

  test('brings the reason of a refusal', () => {
    expect(
      judge({ error: 'access_denied', error_description: 'no', state: 'the-state', iss: issuer }),
    ).toEqual({
      kind: 'denied',
      reason: 'access_denied: no',
    });
  });

  test.each([
    ['another state', { code: 'ac', state: 'another', iss: issuer }],
    ['no state', { code: 'ac', iss: issuer }],
    ['another issuer', { code: 'ac', state: 'the-state', iss: 'https://evil.example' }],
    ['no issuer', { code: 'ac', state: 'the-state' }],
    ['a refusal with another state', { error: 'access_denied', state: 'another', iss: issuer }],
  ])('counts for nothing with %s', (_what, query) => {
    expect(judge(query)).toMatchObject({ kind: 'foreign' });
  });

  test('counts for nothing in a browser that has not asked', () => {
    const query = new URLSearchParams({ code: 'ac', state: 'the-state', iss: issuer });
    expect(judgeCallback(query, undefined, issuer)).toMatchObject({ kind: 'foreign' });
  });
});
