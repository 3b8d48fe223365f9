import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { axeViolations } from './axe-violations.ts';
import { widthOf } from './screens.ts';
import { setStage } from './stage.ts';
import { takeTour } from './tour/take-tour.ts';

/** Checks of every page. */

const stage = setStage();

/** Forty pages, on a machine that is busy. */
const tourTimeoutMs = 900_000;
const narrowest = { width: 320, height: 568 };
/** Minimum height of a control, in CSS pixels. */
const targetHeight = 44;

/** Elements that are too low to be pressed, or reach beyond the screen's edge. */
async function misfits(page: Page): Promise<string[]> {
  const targets = page.locator(
    'button, .button, input:not([type=hidden], [type=radio]), select, .top a, .choice',
  );
  const heights = await targets.evaluateAll((all) =>
    all.filter((each) => each.checkVisibility()).map((each) => each.getBoundingClientRect().height),
  );
  const low = heights.filter((height) => height < targetHeight).map((height) => `${height} px high`);
  const width = await widthOf(page);
  return width === narrowest.width ? low : [...low, `${width} px wide`];
}

test(
  'every page is accessible, fits on a phone, and causes no errors in the browser',
  async () => {
    const { page, problems } = await stage.open('about:blank', { viewport: narrowest });
    const errors: Record<string, readonly string[]> = {};
    await takeTour({
      platform: stage.platform,
      shop: stage.shop,
      page,
      look: async (name) => {
        await page.emulateMedia({ colorScheme: 'light' });
        const found = [...(await axeViolations(page)), ...(await misfits(page))];
        await page.emulateMedia({ colorScheme: 'dark' });
        found.push(...(await axeViolations(page, 'contrast')));
        if (found.length > 0) errors[name] = found;
      },
    });
    expect(errors).toEqual({});
    expect(problems).toEqual([]);
  },
  tourTimeoutMs,
);
