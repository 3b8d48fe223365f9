import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import type { TestPerson } from '../harness/people.ts';
import type { Platform } from '../harness/platform.ts';
import { openWindow, type Window } from './chromium.ts';

/** Opens windows of people, and closes all of them. */
export interface Windows {
  /** A window of somebody who is logged in already, on a page. */
  enterAs(
    person: Pick<TestPerson, 'browser'>,
    path: string,
    options?: BrowserContextOptions,
  ): Promise<Window>;
  /** A window of nobody yet. */
  open(path: string, options?: BrowserContextOptions): Promise<Window>;
  closeAll(): Promise<void>;
}

export function createWindows(platform: () => Platform, chromium: () => Browser): Windows {
  const contexts: BrowserContext[] = [];
  const openIn = async (options: BrowserContextOptions) => {
    const window = await openWindow(chromium(), { baseURL: platform().publicUrl, ...options });
    contexts.push(window.context);
    return window;
  };
  return {
    enterAs: async ({ browser }, path, options = {}) => {
      const window = await openIn(options);
      const url = platform().publicUrl;
      const cookies = [...browser.cookies].map(([name, value]) => ({ name, value, url }));
      await window.context.addCookies(cookies);
      await window.page.goto(path);
      return window;
    },
    open: async (path, options = {}) => {
      const window = await openIn(options);
      await window.page.goto(path);
      return window;
    },
    closeAll: async () => {
      for (const context of contexts.splice(0)) await context.close();
    },
  };
}
