import { beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { documentationPages } from '../harness/documentation-pages.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { auditAccessibility } from './accessibility-audit.ts';
import { expectValue } from './expect-value.ts';
import { press } from './locators.ts';
import { phone, widthOf } from './screens.ts';
import { setStage } from './stage.ts';

/** The documentation in the browser: light and dark, on a desktop and on a phone, by mouse, keyboard and screen reader. */

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

describe.each(documentationPages)('%s', (path) => {
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
    const places = page.locator('.place, .card, .top a, .search input');
    const heights = await places.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    expect(heights.length).toBeGreaterThan(12);
    expect(heights.filter((height) => height < 44)).toEqual([]);
  });

  test('shows its text before the navigation on a phone, where a link leads to the navigation', async () => {
    const { page } = await open('/docs/limits', { viewport: phone });
    const navigation = page.getByRole('navigation', { name: 'Documentation' });
    const [text, places] = [await page.locator('main').boundingBox(), await navigation.boundingBox()];
    expect(text?.y).toBeLessThan(200);
    expect(places?.y).toBeGreaterThan((text?.y ?? 0) + (text?.height ?? 0));
    await page.getByRole('link', { name: 'Pages' }).click();
    await expect(navigation.evaluate((element) => element.matches(':target'))).resolves.toBe(true);
  });

  test('is printed without navigation, with every alternative', async () => {
    const { page } = await open('/docs/webhooks');
    await page.emulateMedia({ media: 'print' });
    for (const hidden of ['.top', '.side', '.copy >> nth=0', '.choices']) {
      expect([hidden, await page.locator(hidden).isVisible()]).toEqual([hidden, false]);
    }
    const panels = page.locator('.panel');
    expect(await panels.count()).toBe(7);
    for (const panel of await panels.all()) expect(await panel.isVisible()).toBe(true);
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

describe('the search', () => {
  const searchOf = (page: Page) => page.getByRole('searchbox', { name: 'Search the documentation' });

  test('loads its index when it is first used, and finds sections of guides and of the reference', async () => {
    const { page, context, problems, foreign } = await open('/docs');
    const loaded: string[] = [];
    context.on('request', (request) => loaded.push(request.url()));
    await page.reload();
    expect(loaded.filter((url) => /minisearch|\.json/.test(url))).toEqual([]);
    await searchOf(page).fill('business frozn');
    const hit = page.getByRole('link', { name: 'Errors › Business frozen' });
    await hit.waitFor();
    expect(loaded.filter((url) => /minisearch|\.json/.test(url))).toHaveLength(2);
    await searchOf(page).fill('mark an order as paid');
    await searchOf(page).fill('change order');
    await page.getByRole('link', { name: 'API reference › Change an order' }).waitFor();
    expect(await auditAccessibility(page)).toEqual([]);
    expect([problems, foreign]).toEqual([[], []]);
  });

  test('is used with the keyboard alone', async () => {
    const { page } = await open('/docs/limits');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('redirect uri');
    await page.locator('.hit').nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expectValue(page, 'document.activeElement.matches(".hit:nth-child(2)")', true);
    await page.keyboard.press('Escape');
    expect(await page.locator('.hits').isVisible()).toBe(false);
    await expectValue(page, 'document.activeElement.matches("[type=search]")', true);
    await searchOf(page).fill('change an order');
    await page.locator('.hit').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/reference#/Orders/changeOrder');
  });

  test('says when it finds nothing', async () => {
    const { page } = await open('/docs');
    await searchOf(page).fill('zebra crossing');
    await page.getByRole('status').filter({ hasText: 'Nothing found' }).waitFor();
  });
});

const operation = (page: Page, anchor: string) =>
  page.locator('article', { has: page.locator(`[id="${anchor}"]`) });

/** Shows a language in the samples of an operation. */
const choose = (within: Locator, language: string) =>
  within.getByRole('radio', { name: language, exact: true }).check();

describe('code', () => {
  test('is copied as it stands', async () => {
    const { page, context } = await open('/docs/first-call');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const block = page.locator('.code').nth(3);
    await block.hover();
    await press(block, 'Copy');
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(await block.locator('code').textContent());
    expect(copied).toContain('"line_items": [{ "name": "Tea"');
  });

  test('has colours, whose contrast is among the accessibility errors above', async () => {
    const { page } = await open('/docs/webhooks#express');
    const colours = await page.evaluate(
      "new Set([...document.querySelectorAll('pre span')].map((each) => getComputedStyle(each).color)).size",
    );
    expect(colours).toBeGreaterThan(3);
  });

  test('is in the language that was chosen once, in every sample, and on the next visit', async () => {
    const { page } = await open('/docs/reference');
    await choose(operation(page, '/Orders/createOrder'), 'Python');
    const samples = page.locator('article code.language-py');
    expect(await samples.count()).toBe(await page.locator('article code.language-go').count());
    for (const sample of await samples.all()) expect(await sample.isVisible()).toBe(true);
    await page.reload();
    await samples.first().waitFor();
    expect(await page.locator('article code.language-sh').first().isVisible()).toBe(false);
  });

  test('of a framework is shown by a link to it', async () => {
    const { page } = await open('/docs/webhooks#django');
    expect(await page.getByRole('radio', { name: 'Django' }).isChecked()).toBe(true);
    await page.evaluate("location.hash = '#fastify'");
    await page.getByText("import Fastify from 'fastify';").waitFor();
    expect(await page.getByText('@csrf_exempt').isVisible()).toBe(false);
  });
});

describe('without script', () => {
  const options = { javaScriptEnabled: false };

  test('the reference is complete, its samples can be chosen, and nothing is shown that would need one', async () => {
    const { page, problems } = await open('/docs/reference', options);
    const block = operation(page, '/Orders/createOrder');
    await block.getByText('Sum of the line items in minor units.').waitFor();
    await choose(block, 'Go');
    await block.getByText('request, err := http.NewRequest("POST"').waitFor();
    expect(await block.locator('code.language-sh').isVisible()).toBe(false);
    for (const needy of ['.search', '.try >> nth=0']) {
      expect([needy, await page.locator(needy).isVisible()]).toEqual([needy, false]);
    }
    expect(problems).toEqual([]);
  });

  test('a link to an operation and to a framework shows it', async () => {
    const { page } = await open('/docs/reference#/Orders/changeOrder', options);
    const heading = page.getByRole('heading', { name: 'Change an order' });
    expect((await heading.boundingBox())?.y).toBeLessThan(300);
    await page.goto('/docs/webhooks#django');
    await page.getByText('@csrf_exempt').waitFor();
  });
});

/** Sends the request of an operation's form. Resolves to the text of the response: status, headers and body. */
async function send(page: Page, anchor: string, sentKey = key): Promise<string | null> {
  const form = await openForm(page, anchor);
  await form.getByLabel('API key').fill(sentKey);
  await press(form, 'Send');
  const output = form.locator('.output');
  await output.locator('.body').waitFor();
  return output.textContent();
}

async function openForm(page: Page, anchor: string): Promise<Locator> {
  const block = operation(page, anchor);
  await block.locator('.try > summary').click();
  return block.locator('.try form');
}

describe('the reference', () => {
  test('has no accessibility errors while it is used', async () => {
    const { page, problems, foreign } = await open('/docs/reference');
    await send(page, '/Business/getCurrentBusiness');
    for (const anchor of ['/Orders/createOrder', '/Events/listEvents']) await openForm(page, anchor);
    const closed = page.locator('details:not([open], .try) > summary');
    for (const summary of (await closed.all()).slice(0, 3)) await summary.click();
    expect(await auditAccessibility(page)).toEqual([]);
    expect([problems, foreign]).toEqual([[], []]);
  });

  test('shows every operation and event of the document', async () => {
    const { page } = await open('/docs/reference');
    const { paths, webhooks } = await (await page.request.get('/docs/openapi.json')).json();
    const documented = Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((name) => name !== 'parameters')
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect((await page.locator('.address').allTextContents()).toSorted()).toEqual(documented.toSorted());
    const events = page.locator('article:not(:has(.address)) h3');
    expect((await events.allTextContents()).toSorted()).toEqual(Object.keys(webhooks).toSorted());
  });

  test('sends a real request with a typed key, shows the response, and forgets the key', async () => {
    const { page, problems, foreign, context } = await open('/docs/reference');
    const text = await send(page, '/Business/getCurrentBusiness');
    expect(text).toMatch(/^200 OK/);
    expect(text).toContain(`"id": ${stage.platform.businessId},`);
    expect(text).toContain('x-ratelimit-remaining');
    // Typed once, it is in the other forms as well.
    const other = await openForm(page, '/Limits/getRateLimit');
    expect(await other.getByLabel('API key').inputValue()).toBe(key);
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect([kept, await context.cookies(), page.url()]).toEqual([
      '[{},{}]',
      [],
      `${stage.platform.publicUrl}/docs/reference`,
    ]);
    await page.reload();
    for (const field of await page.locator('[data-key]').all()) expect(await field.inputValue()).toBe('');
    expect([problems, foreign]).toEqual([[], []]);
  });

  test('shows the response of a refused request', async () => {
    const { page } = await open('/docs/reference');
    const text = await send(page, '/Orders/listOrders', 'nonsense');
    expect(text).toMatch(/^401.*"Invalid API key"/s);
    expect(text).toContain('errors#invalid_api_key');
  });

  test('creates an order from the example, and changes it', async () => {
    const { page } = await open('/docs/reference', { viewport: phone });
    const text = await send(page, '/Orders/createOrder');
    expect(text).toMatch(/^201.*"status": "pending",/s);
    const form = await openForm(page, '/Orders/changeOrder');
    await form.getByLabel('id', { exact: true }).fill(/"id": "(ord_\w+)"/.exec(text ?? '')?.[1] ?? '');
    await press(form, 'Send');
    await form.locator('.output .body', { hasText: '"status": "paid"' }).waitFor();
    expect(await widthOf(page)).toBe(phone.width);
  });

  test('sends parameters of the query', async () => {
    const { page } = await open('/docs/reference');
    const form = await openForm(page, '/Orders/listOrders');
    await form.getByRole('textbox', { name: 'limit' }).fill('0');
    await form.getByLabel('status').selectOption('paid');
    await form.getByLabel('API key').fill(key);
    await press(form, 'Send');
    await form.locator('.output .body', { hasText: 'limit: must be' }).waitFor();
  });

  test('works under another host name of the same platform', async () => {
    const { page, problems } = await open(
      `${stage.platform.publicUrl.replace('127.0.0.1', 'localhost')}/docs/reference`,
    );
    expect(await send(page, '/Business/getCurrentBusiness')).toMatch(/^200/);
    expect(problems).toEqual([]);
  });

  test('shows the operation of a link', async () => {
    const { page } = await open('/docs/reference#/Orders/changeOrder');
    const heading = page.getByRole('heading', { name: 'Change an order' });
    await expectEventually(
      async () => {
        const [top, header] = await Promise.all([heading.boundingBox(), page.locator('.top').boundingBox()]);
        expect(top?.y).toBeGreaterThanOrEqual(header?.height ?? 0);
        expect(top?.y).toBeLessThan(300);
      },
      { withinMs: 5_000 },
    );
    await page.getByRole('navigation', { name: 'Documentation' }).getByText('Get an order').click();
    await page.waitForURL('**/docs/reference#/Orders/getOrder');
  });

  test('has no field for a client secret', async () => {
    const { page } = await open('/docs/reference');
    for (const id of ['authorize', 'issueTokens', 'revokeToken']) {
      const block = operation(page, `/OAuth/${id}`);
      expect([await block.count(), await block.locator('form').count()]).toEqual([1, 0]);
    }
    expect(await page.locator('input[name]:not([type=radio])').count()).toBe(0);
  });
});
