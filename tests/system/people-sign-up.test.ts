import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { signUp } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({ gateways: 2, identities: 2 });
});
afterAll(() => platform.close());

test('from sign-up to a verified business', async () => {
  const ada = await signUp(platform, { businessName: 'Analytical Engines', username: 'engines' });
  expect(ada.browser.page.answer.text).toMatch(/Analytical Engines.*Not verified/s);
});
