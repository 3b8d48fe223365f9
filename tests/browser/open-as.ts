import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { TestPerson } from '../harness/people.ts';
import type { Platform } from '../harness/platform.ts';
import { openWindow, type Window } from './chromium.ts';

/** A new window in which somebody is logged in, at a page of the dashboard of the person's business. */
export async function openAs(
  chromium: Browser,
  platform: Platform,
  { browser, businessId }: TestPerson,
  path = '',
  options: BrowserContextOptions = {},
): Promise<Window> {
  const window = await openWindow(chromium, {
    baseURL: platform.publicUrl,
    reducedMotion: 'reduce',
    ...options,
  });
  const cookies = [...browser.cookies].map(([name, value]) => ({ name, value, url: platform.publicUrl }));
  await window.context.addCookies(cookies);
  await window.page.goto(`/dashboard/${businessId}${path}`);
  return window;
}
