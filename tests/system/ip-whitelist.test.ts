import { beforeAll, expect, test } from '@jest/globals';
import { connect, oauthClient } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/** Contract 2.5: addresses from which an application may call. */

const platform = running(() => sharedBehind({}));
let owner: TestPerson;
beforeAll(async () => {
  owner = await signUpVerified(platform);
});

test('a token works only from addresses on the whitelist, regardless of forwarding headers', async () => {
  const elsewhere = await platform.createApplication({ businessId: owner.businessId });
  const { accessToken } = await connect(platform, owner.browser, elsewhere);
  await platform.updateApplication(elsewhere, { ipWhitelist: ['192.0.2.1'] });
  for (const name of ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'X-Client-IP', 'True-Client-IP']) {
    const headers = { [name]: name === 'Forwarded' ? 'for=192.0.2.1' : '192.0.2.1' };
    const response = await platform.request(0, 'GET', '/v2/businesses/me', { key: accessToken, headers });
    expect(response.status).toBe(403);
    expect(response.json()).toEqual({ status: 'Forbidden', code: 403 });
    expect(response.headers.link).toBe('</docs/errors#ip_not_allowed>; rel="help"');
    const refused = await oauthClient(platform, elsewhere).post(
      '/v2/oauth/token',
      { grant_type: 'x' },
      headers,
    );
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client']);
  }
});
