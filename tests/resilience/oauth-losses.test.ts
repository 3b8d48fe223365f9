import { beforeAll, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { oauthError } from '../harness/error-responses.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect, type OAuthClient, oauthClient, tokensOf } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Tokens while a part of the platform is gone, or starts again. */

const platform = running(sharedPlatform);
let owner: TestPerson;
let application: TestApplication;
let client: OAuthClient;
beforeAll(async () => {
  owner = await signUpVerified(platform);
  application = await platform.createApplication({ businessId: platform.businessId });
  client = oauthClient(platform, application);
});

const statuses = (key: string) =>
  Promise.all([0, 1].map(async (gateway) => (await platform.me(key, gateway)).status));

test('the stored response to a refresh shows no token, and is deleted', async () => {
  const { refreshToken } = await connect(platform, owner.browser, application);
  const { accessToken, refreshToken: next } = tokensOf(
    await client.refresh(refreshToken, {}, { 'Idempotency-Key': 'kept' }),
  );
  const kept = await platform.sql<{ response: string }>(
    "SELECT encode(sealed_answer, 'escape') AS response FROM refresh_tokens WHERE sealed_answer IS NOT NULL",
  );
  expect(kept.length).toBeGreaterThan(0);
  for (const secret of [accessToken, next, refreshToken]) {
    for (const { response } of kept) expect(response).not.toContain(secret.slice(3));
  }
  await platform.sql(
    "UPDATE refresh_tokens SET created_at = created_at - interval '61 seconds' WHERE sealed_answer IS NOT NULL",
  );
  // The janitor makes its first round when it starts.
  await platform.identities[0]?.stop();
  await platform.identities[0]?.start();
  await expectEventually(
    async () => {
      expect(await platform.sql('SELECT 1 FROM refresh_tokens WHERE sealed_answer IS NOT NULL')).toEqual([]);
    },
    { withinMs: 10_000 },
  );
});

test('a revocation while Redis is down is reported as pending, and gateways apply it within 30 s', async () => {
  const { accessToken } = await connect(platform, owner.browser, application);
  const { redis } = platform;
  if (redis === undefined) throw new Error('this test needs Redis');
  await redis.stop();
  const { status, body, response } = await client.revoke(accessToken);
  expect([status, body]).toEqual([503, oauthError('server_error', 'revoked; gateways confirm within 30 s')]);
  expect(response.headers['retry-after']).toBeDefined();
  expect(await statuses(accessToken)).toEqual([401, 401]);
  await redis.start();
});
