import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApplication } from '../../harness/applications.ts';
import { oauthError } from '../../harness/error-responses.ts';
import { expectEventually } from '../../harness/expect-eventually.ts';
import { type HeldLocks, holdTable } from '../../harness/hold-table.ts';
import {
  authorizeApplication,
  authorizePath,
  connect,
  type OAuthClient,
  oauthClient,
  returned,
} from '../../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../../harness/people.ts';
import { startPlatform } from '../../harness/platform.ts';
import { startPostgres } from '../../harness/postgres.ts';
import { running } from '../../harness/running.ts';

/** The OAuth endpoints while a service that they need is down. */

const postgres = running(startPostgres);
const platform = running(() =>
  startPlatform({
    strictTimes: true,
    createDatabase: () => postgres.createDatabase(),
  }),
);
let owner: TestPerson;
let application: TestApplication;
let client: OAuthClient;
beforeAll(async () => {
  owner = await signUpVerified(platform);
  application = await platform.createApplication({ businessId: platform.businessId });
  client = oauthClient(platform, application);
});

describe.each([
  [
    'stopped',
    async (held: HeldLocks) => {
      // A shutdown may end the holder of the lock first, and the write that waits for it would then succeed.
      await held.run(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%INSERT INTO access_tokens%'
         AND wait_event_type = 'Lock'`,
      );
      await postgres.stop();
    },
    () => postgres.start(),
  ],
  ['frozen', async () => postgres.freeze(), async () => postgres.thaw()],
])('while PostgreSQL is %s', (_, lose, mend) => {
  test('clients get 503, and the same code and token work afterwards', async () => {
    const { accessToken, refreshToken } = await connect(platform, owner.browser, application);
    const unsent = await authorizeApplication(owner.browser, application);
    const interrupted = await authorizeApplication(owner.browser, application);
    // PostgreSQL is lost while this one writes its tokens, so after the use of its code.
    const held = await holdTable(platform.databases.identity, 'access_tokens', 'writes');
    const first = client.exchange(interrupted.code, interrupted.verifier);
    await expectEventually(async () => expect(await held.waiting('%INSERT INTO access_tokens%')).toBe(1), {
      withinMs: 10_000,
    });
    await lose(held);
    const asks = [
      () => first,
      () => client.refresh(refreshToken),
      () => client.revoke(accessToken),
      () => client.exchange(unsent.code, unsent.verifier),
    ];
    for (const ask of asks) {
      const { status, body, response } = await ask();
      expect([status, body]).toEqual([
        503,
        oauthError('server_error', 'the service is temporarily unavailable'),
      ]);
      expect(response.headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' });
    }
    const page = await owner.browser.send('GET', authorizePath(application));
    expect([page.status, page.headers.location]).toEqual([503, undefined]);
    await mend();
    await held.release();
    const retries = [
      () => client.refresh(refreshToken),
      () => client.exchange(unsent.code, unsent.verifier),
      () => client.exchange(interrupted.code, interrupted.verifier),
    ];
    for (const retry of retries) {
      await expectEventually(async () => expect((await retry()).status).toBe(200), { withinMs: 10_000 });
    }
  });
});

test('while business-service is down the application gets an error, with its state', async () => {
  const [business] = platform.businesses;
  await business?.stop();
  const response = returned(await owner.browser.open(authorizePath(application)));
  expect(response).toMatchObject({ error: 'temporarily_unavailable', state: 'a state' });
  await business?.start();
});
