import type { BrowserContextOptions } from 'playwright-core';
import type { Window } from './chromium.ts';
import type { Stage } from './stage.ts';
import { type DashboardVisit, enterDashboard } from './tour/enter-dashboard.ts';

/** A new window on the dashboard, after the login. */
export async function comeIn(
  stage: Stage,
  options: BrowserContextOptions = {},
): Promise<Window & DashboardVisit> {
  const window = await stage.open('about:blank', options);
  return { ...window, ...(await enterDashboard(stage.platform, window.page)) };
}
