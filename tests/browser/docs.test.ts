import { beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { documentationPages } from '../harness/documentation-pages.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { auditAccessibility } from './accessibility-audit.ts';
import { expectValue } from './expect-value.ts';
import { press } from './locators.ts';
import { phone, widthOf } from './screens.ts';
import { setStage } from './stage.ts';

/** The documentation in the browser: light and dark, on a desktop and on a phone, by mouse, keyboard and screen reader. */

const guides = documentationPages.filter((path) => path !== '/docs/reference');

let key: string;
const stage = setStage();
beforeAll(async () => {
  key = (await stage.platform.createKey()).keyString;
});

/** A window on a page, with every request to another origin. */
async function open(path: string, options: BrowserContextOptions = {}) {
  const window = await stage.open('about:blank', options);
  const foreign: string[] = [];
  window.context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== stage.platform.publicUrl && protocol !== 'data:') foreign.push(request.url());
  });
  await window.page.goto(path);
  return { ...window, foreign };
}

describe.each(guides)('%s', (path) => {
  test('has no accessibility errors in light and dark, on a desktop and on a phone', async () => {
    const { page, problems, foreign } = await open(path);
    expect(await auditAccessibility(page)).toEqual([]);
    expect([problems, foreign]).toEqual([[], []]);
  });
});

describe('a guide', () => {
  test('begins with a link that skips the navigation', async () => {
    const { page } = await open('/docs/errors');
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    await expect(skip.evaluate((link) => link.matches(':focus'))).resolves.toBe(true);
    expect((await skip.boundingBox())?.x).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Enter');
    await expectValue(page, 'location.hash', '#content');
    await page.keyboard.press('Tab');
    const focused = await page.evaluate('document.activeElement.closest("main") !== null');
    expect(focused).toBe(true);
  });

  test('scrolls to the section of a link, below the header', async () => {
    const { page } = await open('/docs/errors#business_frozen');
    const section = page.getByRole('heading', { name: 'Business frozen' });
    await expectEventually(
      async () => {
        const [top, header] = await Promise.all([section.boundingBox(), page.locator('.top').boundingBox()]);
        expect(top?.y).toBeGreaterThanOrEqual(header?.height ?? 0);
        expect(top?.y).toBeLessThan(300);
      },
      { withinMs: 5_000 },
    );
  });

  test('marks the current page', async () => {
    const { page } = await open('/docs/limits');
    const current = page.getByRole('navigation', { name: 'Documentation' }).locator('[aria-current=page]');
    expect(await current.allTextContents()).toEqual(['Limits']);
  });

  test('has touch targets of sufficient size', async () => {
    const { page } = await open('/docs', { viewport: phone });
    const places = page.locator('.place, .card, .top a');
    const heights = await places.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    expect(heights.length).toBeGreaterThan(12);
    expect(heights.filter((height) => height < 44)).toEqual([]);
  });

  test('scrolls wide commands in their own box, with the keyboard as well', async () => {
    const { page } = await open('/docs/oauth', { viewport: phone });
    const wide = page.locator('pre').nth(2);
    // Not every browser makes a scrollable element focusable.
    expect(await wide.getAttribute('tabindex')).toBe('0');
    await wide.focus();
    await page.keyboard.press('End');
    for (let n = 0; n < 5; n++) await page.keyboard.press('ArrowRight');
    await expectValue(page, 'document.activeElement.scrollLeft > 0', true);
    expect(await page.evaluate('scrollX')).toBe(0);
  });
});

/**
 * Violations in Swagger UI itself, which this project cannot fix. None is serious.
 */
const ofTheLibrary = [
  // Its headings begin with h3, whatever is above.
  'heading-order',
  // Each table of responses is a region, and all have the same name.
  'landmark-unique',
  // It brings a main of its own into ours; as a group it is a part of it, though a main may not be called so.
  'aria-allowed-role',
];
const errorsOfReference = async (page: Page) =>
  (await auditAccessibility(page)).filter(
    (error) => !ofTheLibrary.some((rule) => error.includes(`: ${rule} at `)),
  );

/** Buttons whose letters have the colour of the button: axe-core does not judge those. */
const buttonsInTheirGround = (page: Page): Promise<string[]> =>
  page.evaluate(`
    [...document.querySelectorAll('.swagger-ui .btn')]
      .filter((button) => getComputedStyle(button).color === getComputedStyle(button).backgroundColor)
      .map((button) => button.textContent)`);

const operation = (page: Page, id: string) => page.locator(`#operations-${id}`);

async function openReference(path = '/docs/reference', options: BrowserContextOptions = {}) {
  const window = await open(path, options);
  await window.page.locator('.opblock').nth(8).waitFor();
  return window;
}

async function authorize(page: Page): Promise<void> {
  await press(page, 'Authorize');
  const dialog = page.locator('.modal-ux');
  await dialog.getByRole('textbox').fill(key);
  await dialog.getByRole('button', { name: 'Authorize' }).click();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
}

/** Resolves to the text of the response: status, headers and body. */
async function tryOut(page: Page, id: string): Promise<string | null> {
  const block = operation(page, id);
  await block.locator('.opblock-summary-control').click();
  await block.getByRole('button', { name: 'Try it out' }).click();
  await block.getByRole('button', { name: 'Execute' }).click();
  const response = block.locator('.live-responses-table .response');
  await response.waitFor();
  return response.textContent();
}

describe('the reference', () => {
  test('has no accessibility errors with closed and open operations, and in the dialog for a key', async () => {
    const { page, problems, foreign } = await openReference();
    expect(await errorsOfReference(page)).toEqual([]);
    for (const id of ['Orders-listOrders', 'Orders-createOrder', 'OAuth-issueTokens']) {
      await operation(page, id).locator('.opblock-summary-control').click();
      await operation(page, id).locator('.responses-table').waitFor();
    }
    await page.getByRole('button', { name: 'Schemas' }).click();
    expect(await errorsOfReference(page)).toEqual([]);
    await press(page, 'Authorize');
    await page.locator('.modal-ux').waitFor();
    expect(await errorsOfReference(page)).toEqual([]);
    expect(await buttonsInTheirGround(page)).toEqual([]);
    expect([problems, foreign]).toEqual([[], []]);
  });

  test('shows every operation of the document', async () => {
    const { page } = await openReference();
    const { paths, webhooks } = await (await page.request.get('/docs/openapi.json')).json();
    const documented = Object.entries<object>({ ...paths, ...webhooks }).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((name) => name !== 'parameters')
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const shown = await page.locator('.opblock-summary').evaluateAll((all) =>
      all.map((each) =>
        ['.opblock-summary-method', '.opblock-summary-path']
          .map((part) =>
            each
              .querySelector(part)
              ?.textContent?.replace(/\u200b/g, '')
              .trim(),
          )
          .join(' '),
      ),
    );
    expect(shown.toSorted()).toEqual(documented.toSorted());
    // Events come to receivers: there is no address to try them at.
    const webhook = page.locator('.opblock', { has: page.getByText('order.paid', { exact: true }) }).first();
    await webhook.locator('.opblock-summary-control').click();
    await webhook.locator('.opblock-body').waitFor();
    expect(await webhook.getByRole('button', { name: 'Try it out' }).count()).toBe(0);
  });

  test('sends a real request with a typed key, shows the response, and forgets the key', async () => {
    const { page, problems, foreign, context } = await openReference();
    await authorize(page);
    const text = await tryOut(page, 'Business-getCurrentBusiness');
    expect(text).toMatch(/^200/);
    expect(text).toContain(`"id": ${stage.platform.businessId},`);
    expect(text).toContain('x-ratelimit-remaining');
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect([kept, await context.cookies()]).toEqual(['[{},{}]', []]);
    await page.reload();
    await page.locator('.opblock').first().waitFor();
    expect(await page.locator('.authorize.locked').count()).toBe(0);
    expect([problems, foreign]).toEqual([[], []]);
  });

  test('shows the response of a refused request', async () => {
    const { page } = await openReference();
    const text = await tryOut(page, 'Orders-listOrders');
    expect(text).toMatch(/^401.*"Invalid API key"/s);
    expect(text).toContain('errors#invalid_api_key');
  });

  test('creates an order from the example', async () => {
    const { page } = await openReference('/docs/reference', { viewport: phone });
    await authorize(page);
    const text = await tryOut(page, 'Orders-createOrder');
    expect(text).toMatch(/^201.*"number": 1001,/s);
    expect(await widthOf(page)).toBe(phone.width);
  });

  test('works under another host name of the same platform', async () => {
    const { page, problems } = await openReference(
      `${stage.platform.publicUrl.replace('127.0.0.1', 'localhost')}/docs/reference`,
    );
    await authorize(page);
    expect(await tryOut(page, 'Business-getCurrentBusiness')).toMatch(/^200/);
    expect(problems).toEqual([]);
  });

  test('opens the operation of a link, and keeps the open operation in the URL', async () => {
    const { page } = await openReference('/docs/reference#/Orders/changeOrder');
    await operation(page, 'Orders-changeOrder').locator('.responses-table').waitFor();
    await operation(page, 'Orders-getOrder').locator('.opblock-summary-control').click();
    await page.waitForURL('**/docs/reference#/Orders/getOrder');
  });

  test('has no field for a client secret', async () => {
    const { page } = await openReference();
    for (const id of ['OAuth-authorize', 'OAuth-issueTokens', 'OAuth-revokeToken']) {
      await operation(page, id).locator('.opblock-summary-control').click();
      await operation(page, id).locator('.responses-table').waitFor();
      expect(await operation(page, id).getByRole('button', { name: 'Try it out' }).count()).toBe(0);
      expect(await operation(page, id).locator('.authorization__btn:visible').count()).toBe(0);
    }
    await press(page, 'Authorize');
    expect(await page.locator('.modal-ux').getByRole('textbox').count()).toBe(1);
  });
});
