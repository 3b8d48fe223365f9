import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { TestPerson } from '../harness/people.ts';
import { type Platform, type PlatformOptions, startPlatform } from '../harness/platform.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { type CallbackApplication, startCallbackApplication } from './callback-application.ts';
import { launchChromium, openWindow, type Window } from './chromium.ts';

/** Platform and browser of the tests of a file; available from the first test on, or from the file's own `beforeAll`. */
export interface Stage {
  readonly platform: Platform;
  readonly chromium: Browser;
  /** The site of an application. */
  readonly shop: CallbackApplication;
  /** A window of a logged-in person, on a page. */
  enterAs(
    person: Pick<TestPerson, 'browser'>,
    path: string,
    options?: BrowserContextOptions,
  ): Promise<Window>;
  /** A window without a login, on a page. */
  open(path: string, options?: BrowserContextOptions): Promise<Window>;
}

/**
 * The worker's platform with a webhook-service, or one with options of the file's own, and a browser; closes the windows of each
 * test after it.
 */
export function setStage(options?: PlatformOptions): Stage {
  let platform: Platform;
  let chromium: Browser;
  let shop: CallbackApplication;
  beforeAll(async () => {
    [platform, chromium, shop] = await Promise.all([
      options === undefined ? sharedPlatform({ webhooks: 1 }) : startPlatform(options),
      launchChromium(),
      startCallbackApplication(),
    ]);
  });
  afterAll(async () => {
    await chromium?.close();
    await shop?.close();
    await platform?.close();
  });

  const windows: Window[] = [];
  afterEach(async () => {
    for (const { context } of windows.splice(0)) await context.close();
  });
  const openEmpty = async (given: BrowserContextOptions): Promise<Window> => {
    // Nothing is read during an animation.
    const calm = { baseURL: platform.publicUrl, reducedMotion: 'reduce' } as const;
    const window = await openWindow(chromium, { ...calm, ...given });
    windows.push(window);
    return window;
  };

  return {
    get platform() {
      return platform;
    },
    get chromium() {
      return chromium;
    },
    get shop() {
      return shop;
    },
    enterAs: async ({ browser }, path, given = {}) => {
      const window = await openEmpty(given);
      const url = platform.publicUrl;
      await window.context.addCookies([...browser.cookies].map(([name, value]) => ({ name, value, url })));
      await window.page.goto(path);
      return window;
    },
    open: async (path, given = {}) => {
      const window = await openEmpty(given);
      await window.page.goto(path);
      return window;
    },
  };
}
