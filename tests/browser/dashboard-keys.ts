import { beforeEach, expect } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { NewKey, TestKey } from '../harness/api-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import type { Window } from './chromium.ts';
import { button, press } from './locators.ts';
import type { Stage } from './stage.ts';

/** A business with API keys, new in each test. */
export interface BusinessWithKeys {
  readonly ada: TestPerson;
  path(rest?: string): string;
  /** A window with a logged-in person, on a page about keys. */
  enter(rest?: string, options?: BrowserContextOptions, person?: TestPerson): Promise<Window>;
  make(key?: NewKey): Promise<TestKey>;
  /** Sends a request with a key, and resolves to its status; the gateway has to trust its forwarded address. */
  use(keyString: string, path?: string, address?: string): Promise<number>;
  /** Resolves when the dashboard can show that many requests. */
  awaitReport(key: TestKey, requests: number): Promise<void>;
}

export function setKeys(stage: Stage): BusinessWithKeys {
  let ada: TestPerson;
  beforeEach(async () => {
    ada = await signUpVerified(stage.platform);
  });
  const path = (rest = '') => `/dashboard/${ada.businessId}/settings/developers/keys${rest}`;
  return {
    get ada() {
      return ada;
    },
    path,
    enter: (rest, options, person = ada) => stage.enterAs(person, path(rest), options),
    make: (key = {}) => stage.platform.createKey({ businessId: ada.businessId, name: 'Shop', ...key }),
    use: async (keyString, path = '/v2/businesses/me', address = '192.0.2.7') => {
      const headers = { 'X-Forwarded-For': address };
      return (await stage.platform.request(0, 'GET', path, { key: keyString, headers })).status;
    },
    awaitReport: ({ id }, requests) =>
      expectEventually(
        async () => {
          const text = 'SELECT sum(requests)::int AS n FROM usage_endpoints WHERE limit_id = $1';
          expect(await stage.platform.sql(text, [id])).toEqual([{ n: requests }]);
        },
        { withinMs: 15_000 },
      ),
  };
}

export const restricted = {
  type: 'restricted',
  scopes: ['business:read', 'orders:read', 'orders:write'],
} as const;

/** Reads a key from its dialog, and confirms that it is stored. */
export async function takeKey(page: Page, title: string) {
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.waitFor();
  const [keyString = ''] = await dialog.locator('code').allTextContents();
  const command =
    (await dialog.locator('pre').count()) > 0 ? await dialog.locator('pre').textContent() : null;
  await page.keyboard.press('Escape');
  expect(await button(dialog, 'Done').isDisabled()).toBe(true);
  const close = async () => {
    await dialog.getByLabel('I have stored it').check();
    await press(dialog, 'Done');
    await dialog.waitFor({ state: 'detached' });
  };
  return { keyString, command, dialog, close };
}
