import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect, oauthClient, tokensOf } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Steps before an application goes live. */

const response = z.object({ steps: z.array(z.object({ id: z.string(), isDone: z.boolean() })) });

const platform = running(sharedPlatform);

/** Expects that exactly these steps are not done, once what was done is on record. */
async function expectOpen(dashboard: Dashboard, applicationId: string, open: readonly string[]) {
  await expectEventually(
    async () => {
      const { steps } = response.parse(
        (await dashboard.own('GET', `/applications/${applicationId}/go-live`)).json(),
      );
      expect(steps.flatMap(({ id, isDone }) => (isDone ? [] : id))).toEqual(open);
    },
    { withinMs: 10_000, everyMs: 200 },
  );
}

test('steps are done by the settings of an app and by what it really did, and are open again after a mistake', async () => {
  const ada = await signUpVerified(platform);
  const dashboard = await openDashboard(ada, ada.browser);
  const { businessId } = ada;
  const redirectUris = ['http://localhost:3000/callback'];
  const ipWhitelist = ['0.0.0.0/0'];
  const application = await platform.createApplication({ businessId, redirectUris, ipWhitelist });
  const { id } = application;
  const settings = ['redirect_uri', 'whitelist'];
  await expectOpen(dashboard, id, [...settings, 'connection', 'refresh', 'revocation']);

  const { refreshToken } = await connect(platform, ada.browser, application);
  await expectOpen(dashboard, id, [...settings, 'refresh', 'revocation']);
  const client = oauthClient(platform, application);
  const { accessToken } = tokensOf(await client.refresh(refreshToken));
  await expectOpen(dashboard, id, [...settings, 'revocation']);
  await client.revoke(accessToken);
  await expectOpen(dashboard, id, settings);
  await platform.updateApplication(application, {
    redirectUris: ['https://shop.example/callback'],
    ipWhitelist: ['127.0.0.1'],
  });
  await expectOpen(dashboard, id, []);

  await platform.sql(
    `INSERT INTO request_log (id, at, business_id, method, path, route, status, refusal, client_ip, limit_id, duration_ms,
       response_bytes, user_agent)
     VALUES (gen_random_uuid(), clock_timestamp(), $1, 'POST', '/v2/oauth/token', '/v2/oauth/token', 400, 'plain_http',
       '127.0.0.1', $2, 1, 0, '')`,
    [businessId, id],
  );
  await expectOpen(dashboard, id, ['https']);
});
