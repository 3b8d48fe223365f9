import type { Page } from 'playwright-core';
import { eventually } from '../../harness/eventually.ts';
import type { TestPerson } from '../../harness/people.ts';
import { enterDashboard } from './enter-dashboard.ts';
import type { Tour } from './tour.ts';
import { tourApps } from './tour-apps.ts';
import { tourBusiness } from './tour-business.ts';
import { tourConnected } from './tour-connected.ts';
import { tourInsights } from './tour-insights.ts';
import { tourJoin } from './tour-join.ts';
import { tourKeys } from './tour-keys.ts';
import { tourProfile } from './tour-profile.ts';

/** Pages as they are found by an owner of a verified business without keys, applications or traffic. */
const pages = [
  ['overview', ''],
  ['keys', '/developers/keys'],
  ['new-key', '/developers/keys/new'],
  ['apps', '/developers/apps'],
  ['new-app', '/developers/apps/new'],
  ['requests', '/developers/requests'],
  ['connected', '/connected'],
  ['audit', '/audit'],
  ['business', '/settings/business'],
  ['profile', '~/profile'],
  ['join', '~/join'],
  ['page-not-found', '/nowhere'],
  ['business-not-found', '~/999999999/developers/keys'],
] as const;

type FurtherTour = (tour: Tour, businessId: number, owner: TestPerson) => Promise<void>;
/** Further states of pages. Each goes where it wants, and prepares what it needs. */
const tours: readonly FurtherTour[] = [
  tourKeys,
  tourApps,
  tourConnected,
  tourInsights,
  tourBusiness,
  tourJoin,
  tourProfile,
];

/** Logs in and goes through every page of the dashboard. */
export async function takeDashboardTour(tour: Tour): Promise<void> {
  const { platform, page, look } = tour;
  const { owner } = await enterDashboard(platform, page);
  for (const [name, path] of pages) {
    await page.goto(
      path.startsWith('~') ? `/dashboard${path.slice(1)}` : `/dashboard/${owner.businessId}${path}`,
    );
    await untilLoaded(page);
    await look(`dashboard-${name}`);
  }
  for (const further of tours) await further(tour, owner.businessId, owner);
}

/** Waits until a page has its heading, and nothing in it says that it is loading. */
async function untilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await eventually(
    async () => {
      if ((await page.getByText('Loading', { exact: true }).count()) > 0)
        throw new Error('The page is still loading.');
    },
    { withinMs: 10_000 },
  );
}
