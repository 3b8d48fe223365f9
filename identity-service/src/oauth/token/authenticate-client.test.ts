import { expect, test } from '@jest/globals';
import { createSecretHasher } from '../../secrets/secret-hasher.ts';
import { authenticateClient } from './authenticate-client.ts';

const hasher = createSecretHasher(['a pepper that is longer than 32 characters']);
const stored = {
  applicationId: 'apl_1',
  clientId: 'app_1',
  scopes: ['orders:read' as const],
  ipWhitelist: ['192.0.2.1'],
  secretId: 'sec_1',
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
    noteUse: async (secretId: string) => void used.push(secretId),
  };
}

test('a client with its secret, calling from its whitelist, is let in, and the use is noted', async () => {
  const store = clients();
  const client = await authenticateClient(
    { clients: store, hasher },
    { clientId: 'app_1', clientSecret: 'cs_1' },
    '::ffff:192.0.2.1',
  );
  expect(client.applicationId).toBe('apl_1');
  expect(store.used).toEqual(['sec_1']);
});

test('unknown client, wrong secret and wrong address get one and the same answer after one lookup', async () => {
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
