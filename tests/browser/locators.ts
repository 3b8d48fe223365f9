import type { Locator, Page } from 'playwright-core';

/** Locators of elements by their accessible names. */

type Place = Page | Locator;

/** The title of a page. */
export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true });

export const region = (within: Place, name: string) => within.getByRole('region', { name, exact: true });

export const button = (within: Place, name: string) => within.getByRole('button', { name, exact: true });

export const press = (within: Place, name: string) => button(within, name).click();

export const field = (within: Place, name: string) => within.getByRole('textbox', { name, exact: true });

/** The box to check for a scope. */
export const permission = (within: Place, scope: string) =>
  within.getByRole('checkbox', { description: new RegExp(scope) });

/** The short message after an action. */
export const toast = (page: Page, text: string | RegExp) =>
  page.getByRole('status').filter({ hasText: text });
