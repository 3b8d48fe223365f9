import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkChallengeFormat, checkVerifierFormat, matchesChallenge } from './pkce.ts';

// RFC 7636 appendix B.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const invalidRequest = expect.objectContaining({ code: 'invalid_request' });

test('the verifier of RFC 7636 appendix B matches its challenge', () => {
  expect(matchesChallenge(checkVerifierFormat(verifier), checkChallengeFormat(challenge))).toBe(true);
});

describe('a verifier', () => {
  test.each([
    [42, false],
    [43, true],
    [128, true],
    [129, false],
  ])('of %i characters: well-formed is %p', (length, wellFormed) => {
    const check = () => checkVerifierFormat('a'.repeat(length));
    if (wellFormed) expect(check()).toHaveLength(length);
    else expect(check).toThrow(invalidRequest);
  });

  test.each(['+', '/', '=', ' ', '%', '!', 'é', '\n', '\0', '"'])('with %j is malformed', (character) => {
    for (const candidate of [`${character}${verifier}`, `${verifier}${character}`]) {
      expect(() => checkVerifierFormat(candidate)).toThrow(invalidRequest);
    }
  });

  test.each(['-', '.', '_', '~'])('with %s is well-formed', (character) => {
    expect(checkVerifierFormat(`${verifier}${character}`)).toBe(`${verifier}${character}`);
  });
});

describe('a challenge', () => {
  test.each([
    ['42 characters', challenge.slice(1)],
    ['44 characters', `${challenge}a`],
    ['padding', `${challenge}=`],
    ['a plus', `+${challenge.slice(1)}`],
    ['a slash', `/${challenge.slice(1)}`],
    ['a last character that no hash ends in', `${challenge.slice(0, -1)}N`],
    ['a line end', `${challenge}\n`],
  ])('with %s is malformed', (_, candidate) => {
    expect(() => checkChallengeFormat(candidate)).toThrow(invalidRequest);
  });

  test('of any verifier is well-formed, and matches that verifier alone', () => {
    const verifiers = fc.stringMatching(/^[A-Za-z0-9._~-]{43,128}$/);
    fc.assert(
      fc.property(verifiers, verifiers, (one, other) => {
        const hash = checkChallengeFormat(createHash('sha256').update(one).digest('base64url'));
        expect(matchesChallenge(one, hash)).toBe(true);
        expect(matchesChallenge(other, hash)).toBe(one === other);
      }),
    );
  });

  test('is not the verifier itself', () => {
    expect(matchesChallenge(challenge, challenge)).toBe(false);
  });
});
