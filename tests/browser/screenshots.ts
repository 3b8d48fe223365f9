// Every page as a picture: light, dark and on a phone, into a new directory whose path is printed. npm run screenshots;
// npm run screenshots docs for one tour alone: pages, dashboard, operators, docs, or insights, which also writes the picture of README.md.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { startPlatform } from '../harness/platform.ts';
import { beginRun } from '../harness/run.ts';
import { startCallbackApplication } from './callback-application.ts';
import { launchChromium, openWindow } from './chromium.ts';
import { requireChromium } from './require-chromium.ts';
import { desk, phone } from './screens.ts';
import { takeDashboardTour } from './tour/take-dashboard-tour.ts';
import { takeDocsTour } from './tour/take-docs-tour.ts';
import { takeTour } from './tour/take-tour.ts';
import type { Tour } from './tour/tour.ts';

const variants = [
  { variant: 'light', colorScheme: 'light', size: desk },
  { variant: 'dark', colorScheme: 'dark', size: desk },
  { variant: 'phone', colorScheme: 'light', size: phone },
  { variant: 'phone-dark', colorScheme: 'dark', size: phone },
] as const;

process.env.CHROMIUM = requireChromium(process.env);
const directory = mkdtempSync(join(tmpdir(), 'platform-pages-'));
const run = await beginRun();
const [platform, chromium, shop] = await Promise.all([
  startPlatform({ webhooks: 1 }),
  launchChromium(),
  startCallbackApplication(),
]);
const pictureOfReadme = fileURLToPath(new URL('../../docs/pictures/overview.png', import.meta.url));
let count = 0;

const tours = {
  pages: takeTour,
  dashboard: (tour: Tour) => takeDashboardTour(tour),
  operators: (tour: Tour) => takeDashboardTour(tour, ['operators']),
  docs: takeDocsTour,
};
/** Parts of the dashboard's tour: the picture of README.md, and the pages around it. */
const parts = {
  insights: (tour: Tour) => takeDashboardTour(tour, ['insights']),
  sandbox: (tour: Tour) => takeDashboardTour(tour, ['sandbox']),
};
const named = Object.entries({ ...tours, ...parts }).filter(([name]) => process.argv.includes(name));
for (const [, take] of named.length > 0 ? named : Object.entries(tours)) {
  const { context, page } = await openWindow(chromium, { baseURL: platform.publicUrl, viewport: desk });
  await take({ platform, page, shop, look: (name) => takePictures(page, name) });
  await context.close();
}

await chromium.close();
await shop.close();
await platform.close();
await run.end();
process.stdout.write(`${count} pages in ${variants.length} variants: ${directory}\n`);

async function takePictures(page: Page, name: string): Promise<void> {
  const number = String(++count).padStart(2, '0');
  for (const { variant, colorScheme, size } of variants) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(size);
    await page.evaluate('scrollTo(0, 0)');
    if (name === 'overview' && variant === 'light') await page.screenshot({ path: pictureOfReadme });
    await page.screenshot({ path: join(directory, `${number}-${name}-${variant}.png`), fullPage: true });
  }
  await page.setViewportSize(desk);
}
