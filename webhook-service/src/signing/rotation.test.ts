import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createSealer } from '@platform/service-kit/secrets/sealer.ts';
import { Webhook } from 'standardwebhooks';
import { after, type Instant } from '../values.ts';
import {
  activeSecrets,
  createEndpointSecrets,
  currentSecret,
  openSecrets,
  publicKeys,
  resealSecrets,
  retiredSecretMs,
  rotateSecret,
  sealSecrets,
} from './rotation.ts';
import { kindOf, readSigningKey, signatureHeaders } from './secret.ts';

const now = new Date('2026-11-22T10:00:00Z');

/** Whether a receiver with `secret` accepts what the endpoint's secrets sign at `at`. */
function accepts(secret: string, secrets: ReturnType<typeof createEndpointSecrets>, at: Instant): boolean {
  const [first, ...others] = activeSecrets(secrets, at).map(readSigningKey);
  if (first === undefined) return false;
  const seconds = Math.floor(Date.now() / 1000);
  const headers = { ...signatureHeaders([first, ...others], 'evt_1', seconds, '{}') };
  try {
    new Webhook(secret).verify('{}', headers);
    return true;
  } catch {
    return false;
  }
}

test('a rotated secret signs beside the new one for exactly 24 hours', () => {
  const before = createEndpointSecrets();
  const old = currentSecret(before, 'whsec');
  const rotated = rotateSecret(before, 'whsec', now, { endsOld: false });
  const current = currentSecret(rotated, 'whsec');
  expect(current).not.toBe(old);
  const moments = [0, retiredSecretMs - 1, retiredSecretMs].map((ms) => after(now, ms));
  expect(moments.map((at) => accepts(old, rotated, at))).toEqual([true, true, false]);
  expect(moments.map((at) => accepts(current, rotated, at))).toEqual([true, true, true]);
});

test('ending the old secret at once also ends all secrets that were retired earlier', () => {
  const before = createEndpointSecrets();
  const rotated = rotateSecret(before, 'whsec', now, { endsOld: false });
  const ended = rotateSecret(rotated, 'whsec', after(now, 1), { endsOld: true });
  for (const secrets of [before, rotated]) {
    expect(accepts(currentSecret(secrets, 'whsec'), ended, after(now, 1))).toBe(false);
  }
  expect(accepts(currentSecret(ended, 'whsec'), ended, after(now, 1))).toBe(true);
});

test('each kind of secret is rotated separately', () => {
  const before = createEndpointSecrets();
  const rotated = rotateSecret(before, 'whsk', now, { endsOld: true });
  expect(currentSecret(rotated, 'whsec')).toBe(currentSecret(before, 'whsec'));
  expect(currentSecret(rotated, 'whsk')).not.toBe(currentSecret(before, 'whsk'));
});

test('the current secret is listed first, and the number of retired secrets is bounded', () => {
  let secrets = createEndpointSecrets();
  for (let count = 0; count < 3; count++) secrets = rotateSecret(secrets, 'whsec', now, { endsOld: false });
  expect(activeSecrets(secrets, now).filter((text) => kindOf(text) === 'whsec')[0]).toBe(
    currentSecret(secrets, 'whsec'),
  );
  expect(() => rotateSecret(secrets, 'whsec', now, { endsOld: false })).toThrow('still sign');
  expect(rotateSecret(secrets, 'whsec', now, { endsOld: true })).toHaveLength(2);
  expect(rotateSecret(secrets, 'whsec', after(now, retiredSecretMs), { endsOld: false })).toHaveLength(3);
});

test('sealed secrets can be opened only for their endpoint', () => {
  const sealer = createSealer([createSecretKey(randomBytes(32))]);
  const secrets = rotateSecret(createEndpointSecrets(), 'whsec', now, { endsOld: false });
  const sealed = sealSecrets(sealer, 'we_1', secrets);
  expect(openSecrets(sealer, 'we_1', sealed)).toEqual(secrets);
  expect(() => openSecrets(sealer, 'we_2', sealed)).toThrow('no encryption key opens');
  expect(sealed.includes(currentSecret(secrets, 'whsec'))).toBe(false);
});

test('secrets sealed with a retired key are sealed again with only the current key', () => {
  const [old, current] = [createSecretKey(randomBytes(32)), createSecretKey(randomBytes(32))];
  const secrets = createEndpointSecrets();
  const before = sealSecrets(createSealer([old]), 'we_1', secrets);
  const sealed = resealSecrets(createSealer([current, old]), 'we_1', before);
  if (typeof sealed === 'string') throw new Error(sealed);
  expect(openSecrets(createSealer([current]), 'we_1', sealed)).toEqual(secrets);
  expect(resealSecrets(createSealer([current, old]), 'we_1', sealed)).toBe('current');
  expect(resealSecrets(createSealer([current]), 'we_1', before)).toBe('unopened');
});

test('a rotated public key is listed after the current one as long as its secret signs', () => {
  const before = createEndpointSecrets();
  const [old] = publicKeys(before, now);
  const rotated = rotateSecret(before, 'whsk', now, { endsOld: false });
  expect(publicKeys(before, now)).toHaveLength(1);
  expect(publicKeys(rotated, after(now, retiredSecretMs - 1))).toEqual([
    expect.stringMatching(/^whpk_/),
    old,
  ]);
  expect(publicKeys(rotated, after(now, retiredSecretMs))).toHaveLength(1);
  expect(publicKeys(rotated, after(now, retiredSecretMs))).not.toContain(old);
});
