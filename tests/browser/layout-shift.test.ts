import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { joinBusiness, signUp, signUpVerified } from '../harness/people.ts';
import { desk, phone } from './screens.ts';
import { setStage } from './stage.ts';
import { makeTraffic } from './tour/make-traffic.ts';

/** Pages do not shift while their parts load. */

const stage = setStage();

/** Milliseconds until each response of a page, in turn: the first request does not get the first response. */
const delaysMs = [600, 0, 450, 150, 300];
/** Half of the layout shift that counts as good (https://web.dev/articles/cls). */
const maxShift = 0.05;
const allPagesMs = 900_000;

async function delayResponses(page: Page): Promise<void> {
  let asked = 0;
  page.on('framenavigated', () => {
    asked = 0;
  });
  await page.route('**/dashboard-api/businesses/**', async (route) => {
    await pause(delaysMs[asked++ % delaysMs.length]);
    await route.continue();
  });
}

/** Adds up how much of the screen moved how far, as browsers count it. */
const watchShifts = `
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) window.shifted += shift.value;
  }).observe({ type: 'layout-shift', buffered: true });`;

test(
  'no page shifts while its parts load, in any order',
  async () => {
    const ada = await signUpVerified(stage.platform);
    const { businessId } = ada;
    await joinBusiness(stage.platform, await signUp(stage.platform), businessId, 'developer');
    const { shop, refusedId } = await makeTraffic(stage.platform, businessId);
    const app = await stage.platform.createApplication({ businessId });
    const { page } = await stage.enterAs(ada, '/dashboard');
    await page.addInitScript(watchShifts);
    await delayResponses(page);
    const paths = [
      '',
      '/settings/business',
      '/settings/developers/keys',
      `/settings/developers/keys/${shop.id}`,
      '/settings/developers/apps',
      `/settings/developers/apps/${app.id}`,
      `/settings/developers/apps/${app.id}?tab=credentials`,
      '/settings/developers/requests',
      `/settings/developers/requests/${refusedId}`,
      '/connected',
      '/audit',
    ];
    const shifts: [where: string, shift: number][] = [];
    for (const size of [desk, phone]) {
      await page.setViewportSize(size);
      for (const path of paths) {
        await page.goto(`/dashboard/${businessId}${path}`, { waitUntil: 'networkidle' });
        shifts.push([`${path} at ${size.width} px`, Number(await page.evaluate('window.shifted'))]);
      }
    }
    expect(shifts.filter(([, shift]) => shift > maxShift)).toEqual([]);
  },
  allPagesMs,
);
