import type { Page } from 'playwright-core';
import { expectEventually } from '../../harness/expect-eventually.ts';
import { enterDashboard } from './enter-dashboard.ts';
import type { Tour } from './tour.ts';
import { tourApps } from './tour-apps.ts';
import { tourBusiness } from './tour-business.ts';
import { tourConnected } from './tour-connected.ts';
import { tourInsights } from './tour-insights.ts';
import { tourJoin } from './tour-join.ts';
import { tourKeys } from './tour-keys.ts';
import { tourOperators } from './tour-operators.ts';
import { tourProfile } from './tour-profile.ts';
import { tourSandbox } from './tour-sandbox.ts';
import { tourWebhooks } from './tour-webhooks.ts';

/** Pages as they are found by an owner of a verified business without keys, applications or traffic. */
const pages = [
  ['overview', ''],
  ['keys', '/settings/developers/keys'],
  ['new-key', '/settings/developers/keys/new'],
  ['apps', '/settings/developers/apps'],
  ['new-app', '/settings/developers/apps/new'],
  ['requests', '/settings/developers/requests'],
  ['connected', '/connected'],
  ['audit', '/audit'],
  ['business', '/settings/business'],
  ['profile', '~/profile'],
  ['notices', '~/notices'],
  ['join', '~/join'],
  ['new-business', '~/new-business'],
  ['page-not-found', '/nowhere'],
  ['business-not-found', '~/999999999/settings/developers/keys'],
] as const;

/** Parts of the tour. Each goes where it wants, and prepares what it needs. */
const parts = {
  pages: tourPages,
  keys: tourKeys,
  apps: tourApps,
  webhooks: tourWebhooks,
  connected: tourConnected,
  insights: tourInsights,
  business: tourBusiness,
  join: tourJoin,
  profile: tourProfile,
  sandbox: tourSandbox,
  operators: tourOperators,
};

export type DashboardPart = keyof typeof parts;
const ownersParts = (Object.keys(parts) as DashboardPart[]).filter((part) => part !== 'operators');

/** Logs in and goes through the pages of the dashboard, those of some parts or all but the operators' console. */
export async function takeDashboardTour(
  tour: Tour,
  names: readonly DashboardPart[] = ownersParts,
): Promise<void> {
  const { owner } = await enterDashboard(tour.platform, tour.page);
  for (const name of names) await parts[name](tour, owner.businessId, owner);
}

/** Each page as it is at first. */
async function tourPages({ page, look }: Tour, businessId: number): Promise<void> {
  for (const [name, path] of pages) {
    await page.goto(path.startsWith('~') ? `/dashboard${path.slice(1)}` : `/dashboard/${businessId}${path}`);
    await untilLoaded(page);
    await look(`dashboard-${name}`);
  }
}

/** Waits until a page has its heading, and nothing in it says that it is loading. */
async function untilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expectEventually(
    async () => {
      if ((await page.getByText('Loading', { exact: true }).count()) > 0)
        throw new Error('The page is still loading.');
    },
    { withinMs: 10_000 },
  );
}
