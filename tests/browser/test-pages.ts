import { expect, test } from '@jest/globals';
import { auditAccessibility } from './accessibility-audit.ts';
import { desk } from './screens.ts';
import { setStage } from './stage.ts';
import { type DashboardPart, takeDashboardTour } from './tour/take-dashboard-tour.ts';

/** All states of some pages, on a machine that is busy. */
const tourTimeoutMs = 900_000;

/** A test of every page of the dashboard, for some parts of it. */
export function testPages(...parts: readonly DashboardPart[]): void {
  const stage = setStage();
  test(
    'every page is accessible in light and dark, fits a phone, and gives the browser nothing to complain of',
    async () => {
      const { page, problems } = await stage.open('about:blank', { viewport: desk });
      const errors: Record<string, readonly string[]> = {};
      const look = async (name: string) => {
        const found = await auditAccessibility(page);
        if (found.length > 0) errors[name] = found;
      };
      await takeDashboardTour({ platform: stage.platform, shop: stage.shop, page, look }, parts);
      expect(errors).toEqual({});
      expect(problems).toEqual([]);
    },
    tourTimeoutMs,
  );
}
