import { beforeEach, expect } from '@jest/globals';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { TestApplication } from '../harness/applications.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import type { Platform } from '../harness/platform.ts';
import type { Window } from './chromium.ts';
import { button, press } from './locators.ts';
import type { Stage } from './stage.ts';

/** A business with apps, new in each test. */
export interface BusinessWithApps {
  readonly ada: TestPerson;
  path(rest?: string): string;
  /** A window with a logged-in person, on a page about apps of the person's business. */
  enter(rest?: string, options?: BrowserContextOptions, person?: TestPerson): Promise<Window>;
  register(changes?: Partial<Parameters<Platform['createApplication']>[0]>): Promise<TestApplication>;
  /** Sends a request with a token, and resolves to its status; the gateway has to trust its forwarded address. */
  use(token: string, address: string): Promise<number>;
}

export function setApps(stage: Stage): BusinessWithApps {
  let ada: TestPerson;
  beforeEach(async () => {
    ada = await signUpVerified(stage.platform);
  });
  const pathOf = ({ businessId }: TestPerson, rest = '') =>
    `/dashboard/${businessId}/settings/developers/apps${rest}`;
  return {
    get ada() {
      return ada;
    },
    path: (rest) => pathOf(ada, rest),
    enter: (rest, options, person = ada) => stage.enterAs(person, pathOf(person, rest), options),
    register: (changes = {}) =>
      stage.platform.createApplication({ businessId: ada.businessId, ...settings, ...changes }),
    use: async (token, address) => {
      const headers = { 'X-Forwarded-For': address };
      return (await stage.platform.request(0, 'GET', '/v2/businesses/me', { key: token, headers })).status;
    },
  };
}

const settings = {
  redirectUris: ['https://shop.example/callback'],
  ipWhitelist: ['127.0.0.1', '192.0.2.0/24'],
};

export const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });

/** The rows of the IP whitelist. */
export const addresses = (page: Page) =>
  page.getByRole('group', { name: 'IP whitelist' }).getByRole('textbox');

export const valuesOf = async (inputs: Locator) =>
  Promise.all((await inputs.all()).map((input) => input.inputValue()));

/** Reads a secret from its dialog, confirms that it is stored, and closes the dialog. */
export async function takeSecret(page: Page, title: string) {
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.waitFor();
  const [clientId = '', clientSecret = ''] = await dialog.locator('code').allTextContents();
  await page.keyboard.press('Escape');
  expect(await button(dialog, 'Done').isDisabled()).toBe(true);
  await dialog.getByLabel('I have stored it').check();
  await press(dialog, 'Done');
  await dialog.waitFor({ state: 'detached' });
  return { clientId, clientSecret };
}
