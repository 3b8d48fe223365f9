import { Client, credentials } from '@grpc/grpc-js';
import { expect, test } from '@jest/globals';
import { canaryKeyService } from '@platform/protos/identity';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { startIdentityPlatform } from '../harness/identity-platform.ts';
import { running } from '../harness/running.ts';

const platform = running(() => startIdentityPlatform({ replicas: 2 }));

test('a replica that is stopped finishes its calls, and callers get no error', async () => {
  const { keyString } = await platform.createKey();
  const [ending] = platform.replicas;
  let asking = true;
  const outcomes: Record<string, number> = {};
  const ask = async () => {
    while (asking) {
      const outcome = await platform.authorize(keyString).then(
        (response) => response.outcome,
        (error: Error) => error.message,
      );
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  };
  const calls = [ask(), ask()];
  for (let round = 0; round < 3; round++) {
    expect(await ending?.stop()).toMatchObject({ code: 0 });
    await ending?.start();
  }
  asking = false;
  await Promise.all(calls);
  expect(Object.keys(outcomes)).toEqual(['OUTCOME_ALLOWED']);
});

test('a call in flight when the replica is stopped gets its response', async () => {
  const key = await platform.createKey({ type: 'restricted', scopes: ['orders:read'], name: 'in flight' });
  // Without keep-alive: grpc-js takes a ping that it cannot send on a closing connection for a dead one, and drops the
  // call (grpc/grpc-node issue 3068).
  const client = new Client(platform.target, credentials.createInsecure());
  const { path, requestSerialize, responseDeserialize } = canaryKeyService.TakeKey;
  const request = { businessId: key.businessId, name: 'in flight', scopes: [], limit: 0 };
  platform.redis?.freeze();
  const response = new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, response) =>
      error ? reject(error) : resolve(response),
    );
  });
  const isRotated = async () => expect((await platform.getKey(key)).rotatedAt).toBeDefined();
  await expectEventually(isRotated, { withinMs: 5_000 });
  // One of them has the call, and waits for Redis.
  const ends = await Promise.all(platform.replicas.map((replica) => replica.stop()));
  expect(await response).toMatchObject({ apiKeyId: key.id, propagation: 'PROPAGATION_PENDING' });
  expect(ends).toMatchObject([{ code: 0 }, { code: 0 }]);
  client.close();
  platform.redis?.thaw();
  await Promise.all(platform.replicas.map((replica) => replica.start()));
});

test('a ready replica names its dependencies', async () => {
  const [replica] = platform.replicas;
  const checks = { postgres: 'ok', redis: 'ok' };
  await expectEventually(
    async () => {
      const response = await request(replica?.ports.ops ?? 0, 'GET', '/readyz');
      expect(response.json()).toEqual({ ready: true, draining: false, checks });
    },
    { withinMs: 5_000 },
  );
});
