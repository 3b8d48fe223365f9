import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openDashboard } from '../harness/dashboard.ts';
import { authorizeApplication, authorizePath, oauthClient } from '../harness/oauth.ts';
import { signUp, signUpVerified } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { launchChromium } from './chromium.ts';
import { openAs } from './open-as.ts';

/** Whatever people call themselves, their businesses, keys and applications: it is text, on every page. */

/** Closes what an attribute, an element or a script could be in, and runs if it is anything but text. */
const script = `'">--></textarea></script><img src=x onerror="window.ran=1"><script>window.ran=1</script>`;

const timeoutMs = 120_000;

let platform: Platform;
let chromium: Browser;
beforeAll(async () => {
  [platform, chromium] = await Promise.all([startPlatform(), launchChromium()]);
});
afterAll(async () => {
  await chromium?.close();
  await platform?.close();
});

/** An owner with everything that people can give a name, all of it named by the script. */
async function makeOwner() {
  const owner = await signUpVerified(platform, { name: script, businessName: script });
  const { businessId, browser } = owner;
  const key = await platform.createKey({ businessId, name: script });
  await platform.updateKey(key, { description: script });
  const application = await platform.createApplication({ businessId, name: script, description: script });
  const { code, verifier } = await authorizeApplication(browser, application);
  await oauthClient(platform, application).exchange(code, verifier);
  const refused = await platform.request(0, 'GET', `/v2/order/${encodeURIComponent(script)}`, {
    key: key.keyString,
    headers: { 'User-Agent': script },
  });
  const teammate = await signUp(platform, { name: script });
  await query(
    platform.databases.identity,
    "INSERT INTO memberships (person_id, business_id, role) VALUES ($1, $2, 'member')",
    [teammate.id, businessId],
  );
  const { own } = await openDashboard(owner, browser);
  const frozen = await own('PUT', '/freeze', { reason: script });
  expect([refused.status, frozen.status]).toEqual([400, 200]);
  const asking = await platform.createApplication({ businessId, name: script, description: script });
  return { owner, key, application, asking };
}

test(
  'a script in a name is text on every page',
  async () => {
    const { owner, key, application, asking } = await makeOwner();
    const { page, problems } = await openAs(chromium, platform, owner);
    const ofBusiness = [
      '',
      '/developers/keys',
      `/developers/keys/${key.id}`,
      `/developers/keys/new?clone=${key.id}`,
      '/developers/apps',
      `/developers/apps/${application.id}`,
      '/developers/requests',
      '/connected',
      '/audit',
      '/settings/business',
    ].map((path) => `/dashboard/${owner.businessId}${path}`);
    const consent = authorizePath(asking);
    for (const path of [...ofBusiness, '/dashboard/profile', '/account', '/account/applications', consent]) {
      await page.goto(path);
      await page.getByText('onerror=').first().waitFor({ state: 'attached' });
      await page.waitForLoadState('networkidle');
      expect([path, await page.evaluate('window.ran')]).toEqual([path, undefined]);
    }
    expect(problems).toEqual([]);
  },
  timeoutMs,
);
