import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { type CallbackApplication, startCallbackApplication } from './callback-application.ts';
import { launchChromium, openWindow } from './chromium.ts';
import { takeDashboardTour } from './tour/take-dashboard-tour.ts';
import { violations } from './violations.ts';

/** What holds for each page of the dashboard. */

let platform: Platform;
let chromium: Browser;
let shop: CallbackApplication;
beforeAll(async () => {
  [platform, chromium, shop] = await Promise.all([
    startPlatform(),
    launchChromium(),
    startCallbackApplication(),
  ]);
});
afterAll(async () => {
  await chromium?.close();
  await shop?.close();
  await platform?.close();
});

/** All pages in all their states, on a machine that is busy. */
const tourTimeoutMs = 600_000;
const desk = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

test(
  'every page is accessible in light and dark, fits a phone, and gives the browser nothing to complain of',
  async () => {
    const { page, problems } = await openWindow(chromium, {
      baseURL: platform.publicUrl,
      viewport: desk,
      reducedMotion: 'reduce',
    });
    const faults: Record<string, readonly string[]> = {};
    const look = async (name: string) => {
      const found: string[] = [];
      for (const size of [desk, phone]) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme: 'light' });
        found.push(...(await violations(page)));
        const width = await page.evaluate('document.documentElement.scrollWidth');
        if (Number(width) > size.width) found.push(`${width} px wide on a screen of ${size.width} px`);
      }
      await page.setViewportSize(desk);
      await page.emulateMedia({ colorScheme: 'dark' });
      found.push(...(await violations(page, 'color-contrast')));
      await page.emulateMedia({ colorScheme: 'light' });
      if (found.length > 0) faults[name] = found;
    };
    await takeDashboardTour({ platform, page, shop, look });
    expect(faults).toEqual({});
    expect(problems).toEqual([]);
  },
  tourTimeoutMs,
);
