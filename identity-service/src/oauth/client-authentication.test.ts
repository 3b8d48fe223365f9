import { describe, expect, test } from '@jest/globals';
import { createSecretHasher } from '../platform/secrets.ts';
import { authenticateClient, readClientCredentials } from './client-authentication.ts';

const hasher = createSecretHasher(['a pepper that is longer than 32 characters']);

const stored = {
  applicationId: 'apl_1',
  clientId: 'app_1',
  scopes: ['orders:read' as const],
  ipWhitelist: ['192.0.2.1'],
  repeatLostRefresh: false,
  isSandbox: false,
  secret: { id: 'sec_1', lastUsedAt: undefined, readAt: 0 },
};

/** Clients with one row, and a count of what was asked. */
function clients() {
  const asked: string[] = [];
  const used: string[] = [];
  return {
    asked,
    used,
    find: async (clientId: string, hashes: readonly Buffer[]) => {
      asked.push(clientId);
      const isKnown = clientId === 'app_1' && hashes.some((hash) => hash.equals(hasher.hash('cs_1')));
      return isKnown ? stored : undefined;
    },
    noteUse: async ({ id }: { readonly id: string }) => void used.push(id),
  };
}

test('a client with its secret and an address on its whitelist is accepted, and the use is recorded', async () => {
  const store = clients();
  const client = await authenticateClient(
    { clients: store, hasher },
    { clientId: 'app_1', clientSecret: 'cs_1' },
    '::ffff:192.0.2.1',
  );
  expect(client.applicationId).toBe('apl_1');
  expect(store.used).toEqual(['sec_1']);
});

test('an unknown client, a wrong secret and a wrong address get the same error after one lookup', async () => {
  const errors: unknown[] = [];
  for (const [clientId, clientSecret, clientIp] of [
    ['app_2', 'cs_1', '192.0.2.1'],
    ['app_1', 'nonsense', '192.0.2.1'],
    ['app_1', 'cs_1', '192.0.2.2'],
  ] as const) {
    const store = clients();
    const attempt = authenticateClient({ clients: store, hasher }, { clientId, clientSecret }, clientIp);
    errors.push(
      await attempt.catch(({ code, message }: { code: string; message: string }) => ({ code, message })),
    );
    expect(store.asked).toHaveLength(1);
    expect(store.used).toHaveLength(0);
  }
  expect(new Set(errors.map((error) => JSON.stringify(error))).size).toBe(1);
  expect(errors[0]).toMatchObject({ code: 'invalid_client' });
});

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

const body = (fields: Record<string, string>) => new Map(Object.entries(fields));

const invalidRequest = expect.objectContaining({ code: 'invalid_request' });

describe('client credentials', () => {
  test.each([
    ['in the body', undefined, { client_id: 'app_1', client_secret: 'cs_1' }, 'cs_1'],
    ['by Basic', basic('app_1:cs_1'), {}, 'cs_1'],
    ['by Basic in another case', basic('app_1:cs_1').replace('Basic', 'basic'), {}, 'cs_1'],
    ['by Basic, form-urlencoded', basic('app%5F1:a%2Bb+c%3A%25'), {}, 'a+b c:%'],
    ['by Basic, with a colon in the secret', basic('app_1:a:b'), {}, 'a:b'],
    ['by Basic, the client ID also in the body', basic('app_1:cs_1'), { client_id: 'app_1' }, 'cs_1'],
  ])('%s are read', (_, header, fields, clientSecret) => {
    expect(readClientCredentials(header, body(fields))).toEqual({ clientId: 'app_1', clientSecret });
  });

  test.each([
    ['missing', undefined, {}],
    ['without the ID', undefined, { client_secret: 'cs_1' }],
    ['without the secret', undefined, { client_id: 'app_1' }],
    ['in both places', basic('app_1:cs_1'), { client_secret: 'cs_1' }],
    ['in both places, differing', basic('app_1:cs_1'), { client_id: 'app_1', client_secret: 'cs_2' }],
    ['of two clients', basic('app_1:cs_1'), { client_id: 'app_2' }],
    ['of another scheme', 'Bearer at_1', {}],
    ['not base64', 'Basic ***', {}],
    ['without a colon', basic('app_1'), {}],
    ['with an empty ID', basic(':cs_1'), {}],
    ['with an empty secret', basic('app_1:'), {}],
    ['with a per cent sign that encodes nothing', basic('app_1:100%'), {}],
    ['with NUL', basic('app_1%00:cs_1'), {}],
    ['beyond ASCII', basic('app_é:cs_1'), {}],
    ['twice in one header', `${basic('app_1:cs_1')}, ${basic('app_1:cs_1')}`, {}],
  ])('%s are a malformed request', (_, header, fields) => {
    expect(() => readClientCredentials(header, body(fields))).toThrow(invalidRequest);
  });
});
