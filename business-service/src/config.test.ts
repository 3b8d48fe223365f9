import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { parseConfig } from './config.ts';

const publicKey = (type: 'ed25519' | 'x25519') =>
  (type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('x25519')).publicKey
    .export({ type: 'spki', format: 'der' })
    .toString('base64');

const environment = {
  MODE: 'local',
  HTTP_PORT: '0',
  GRPC_PORT: '0',
  OPS_PORT: '0',
  DATABASE_URL: 'postgresql://user:hidden@localhost/business',
  PASSPORT_PUBLIC_KEYS: publicKey('ed25519'),
};

test('several passport keys can be given, so that they can be rotated', () => {
  const keys = `${publicKey('ed25519')}, ${publicKey('ed25519')}`;
  expect(parseConfig({ ...environment, PASSPORT_PUBLIC_KEYS: keys }).PASSPORT_PUBLIC_KEYS).toHaveLength(2);
});

test('every invalid variable is reported, by name and without its value', () => {
  const invalid = {
    ...environment,
    HTTP_PORT: 'eighty',
    DATABASE_URL: 'mysql://user:hidden@localhost',
    GRPC_PORT: undefined,
    PASSPORT_PUBLIC_KEYS: 'bm9uc2Vuc2U=',
  };
  expect(() => parseConfig(invalid)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/HTTP_PORT.*GRPC_PORT.*DATABASE_URL.*PASSPORT_PUBLIC_KEYS/s),
    }),
  );
  expect(() => parseConfig(invalid)).not.toThrow(
    expect.objectContaining({ message: expect.stringContaining('hidden') }),
  );
});

test.each([
  ['of another kind', publicKey('x25519')],
  ['that is one of two', `${publicKey('ed25519')},oops`],
  ['that is none', ' , '],
])('a passport key %s is refused', (_, keys) => {
  expect(() => parseConfig({ ...environment, PASSPORT_PUBLIC_KEYS: keys })).toThrow('PASSPORT_PUBLIC_KEYS');
});

test('outside local mode gRPC without certificates is refused', () => {
  expect(() => parseConfig({ ...environment, MODE: 'production' })).toThrow('GRPC_TLS_CA');
});

test('LISTEN has a separate database URL for use behind a transaction pooler', () => {
  const pooled = { ...environment, DATABASE_POOLING: 'transaction' };
  expect(() => parseConfig(pooled)).toThrow('LISTEN_DATABASE_URL');
  const LISTEN_DATABASE_URL = environment.DATABASE_URL;
  expect(parseConfig({ ...pooled, LISTEN_DATABASE_URL })).toMatchObject({ LISTEN_DATABASE_URL });
});
