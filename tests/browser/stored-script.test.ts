import { expect, test } from '@jest/globals';
import { openDashboard } from '../harness/dashboard.ts';
import { authorizeApplication, authorizePath, oauthClient } from '../harness/oauth.ts';
import { joinBusiness, signUp, signUpVerified } from '../harness/people.ts';
import { setStage } from './stage.ts';

/** Names of people, businesses, keys and applications are text, on every page. */

/** Closes what an attribute, an element or a script could be in, and runs if it is anything but text. */
const script = `'">--></textarea></script><img src=x onerror="window.ran=1"><script>window.ran=1</script>`;

const stage = setStage();

/** An owner with everything that people can give a name, all of it named by the script. */
async function makeOwner() {
  const owner = await signUpVerified(stage.platform, { name: script, businessName: script });
  const { businessId, browser } = owner;
  const key = await stage.platform.createKey({ businessId, name: script });
  await stage.platform.updateKey(key, { description: script });
  const described = { name: script, description: script };
  const application = await stage.platform.createApplication({ businessId, ...described });
  const { code, verifier } = await authorizeApplication(browser, application);
  await oauthClient(stage.platform, application).exchange(code, verifier);
  const refused = await stage.platform.request(0, 'GET', `/v2/order/${encodeURIComponent(script)}`, {
    key: key.keyString,
    headers: { 'User-Agent': script },
  });
  const teammate = await signUp(stage.platform, { name: script });
  await joinBusiness(stage.platform, teammate, businessId, 'developer');
  const { own } = await openDashboard(owner, browser);
  const frozen = await own('PUT', '/freeze', { reason: script });
  expect([refused.status, frozen.status]).toEqual([400, 200]);
  const asking = await stage.platform.createApplication({ businessId, ...described });
  return { owner, key, application, asking };
}

test('a script in a name is text on every page', async () => {
  const { owner, key, application, asking } = await makeOwner();
  const { page, problems } = await stage.enterAs(owner, `/dashboard/${owner.businessId}`);
  const ofBusiness = [
    '',
    '/settings/developers/keys',
    `/settings/developers/keys/${key.id}`,
    `/settings/developers/keys/new?clone=${key.id}`,
    '/settings/developers/apps',
    `/settings/developers/apps/${application.id}`,
    '/settings/developers/requests',
    '/connected',
    '/audit',
    '/settings/business',
  ].map((path) => `/dashboard/${owner.businessId}${path}`);
  const consent = authorizePath(asking);
  for (const path of [...ofBusiness, '/dashboard/profile', '/account/applications', consent]) {
    await page.goto(path);
    await page.getByText('onerror=').first().waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
    expect([path, await page.evaluate('window.ran')]).toEqual([path, undefined]);
  }
  expect(problems).toEqual([]);
});
