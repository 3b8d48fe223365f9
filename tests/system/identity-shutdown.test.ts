import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { request } from '../harness/http-request.ts';
import { type IdentityPlatform, startIdentityPlatform } from '../harness/identity-platform.ts';

let platform: IdentityPlatform;
beforeAll(async () => {
  platform = await startIdentityPlatform({ replicas: 2 });
});
afterAll(() => platform.close());

test('a replica that is told to end answers what it took, and callers notice nothing', async () => {
  const { keyString } = await platform.createKey();
  const [ending] = platform.replicas;
  let asking = true;
  const outcomes: Record<string, number> = {};
  const ask = async () => {
    while (asking) {
      const outcome = await platform.authorize(keyString).then(
        (answer) => answer.outcome,
        (error: Error) => error.message,
      );
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  };
  const askers = Array.from({ length: 20 }, ask);
  for (let round = 0; round < 3; round++) {
    expect(await ending?.stop()).toMatchObject({ code: 0 });
    await ending?.start();
  }
  asking = false;
  await Promise.all(askers);
  expect(Object.keys(outcomes)).toEqual(['OUTCOME_ALLOWED']);
});

test('a ready replica names its dependencies', async () => {
  const [replica] = platform.replicas;
  const answer = await request(replica?.ports.ops ?? 0, 'GET', '/readyz');
  expect(answer.json()).toEqual({ ready: true, draining: false, checks: { postgres: 'ok', redis: 'ok' } });
});
