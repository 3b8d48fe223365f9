import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { TestKey } from '../harness/api-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { signUp, type TestPerson } from '../harness/people.ts';
import { auditAccessibility } from './accessibility-audit.ts';
import { failure } from './failure.ts';
import { heading } from './locators.ts';
import { desk, phone, widthOf } from './screens.ts';
import { setStage } from './stage.ts';

/** The audit log: read, opened, narrowed, exported. */

const stage = setStage();

let ada: TestPerson;
let key: TestKey;
beforeEach(async () => {
  ada = await signUp(stage.platform);
  key = await stage.platform.createKey({
    businessId: ada.businessId,
    name: 'Till',
    type: 'restricted',
    scopes: ['orders:read'],
  });
});

const enter = (rest = '', options: BrowserContextOptions = {}) =>
  stage.enterAs(ada, `/dashboard/${ada.businessId}/audit${rest}`, options);

const rows = (page: Page) => page.getByRole('table', { name: 'Audit log' }).locator('tbody tr');
const countOf = (page: Page, count: number) =>
  expectEventually(async () => expect(await rows(page).count()).toBe(count), { withinMs: 5_000 });
const details = (page: Page, words: string) =>
  page.getByRole('button', { name: `Details: ${words}`, exact: true });

/** Events of a busy person. */
async function fill(count: number): Promise<void> {
  await stage.platform.sql(
    `INSERT INTO audit_events (business_id, actor_kind, actor_id, client_ip, request_id, action, subject_id, details)
     SELECT $1, 'person', $2, '192.0.2.1', 'req-' || n, 'person.logged_in', $2, '{"secondFactor": "code"}'
     FROM generate_series(1, $3::int) AS n`,
    [ada.businessId, ada.id, count],
  );
}

describe('an event', () => {
  test('shows person, action and address, and opens with the keyboard to show the change', async () => {
    await stage.platform.updateKey(key, { scopes: ['business:read', 'orders:read'] });
    const { page, problems } = await enter();
    await rows(page).first().waitFor();
    const texts = await rows(page).allTextContents();
    expect(texts[0]).toMatch(/^Changed permissions of the API key “Till”Details.*Support–just now$/);
    expect(texts[2]).toMatch(
      /^Signed upDetails.*Ada Lovelaceada-\w+@people\.test127\.0\.0\.1(just now|1 minute ago)$/,
    );

    const button = details(page, 'Changed permissions of the API key “Till”');
    await button.focus();
    await page.keyboard.press('Enter');
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    const change = rows(page).first().locator('dl > div').first();
    expect(await change.textContent()).toBe('Permissionsorders:readbusiness:read, orders:read');
    await rows(page).first().getByText('Request ID').waitFor();
    await rows(page).first().getByRole('link', { name: 'Till' }).click();
    await heading(page, 'Till').waitFor();
    expect(problems).toEqual([]);
  });

  test('about a deleted subject still shows its name, without a link', async () => {
    await stage.platform.deleteKey(key);
    const { page } = await enter();
    await details(page, 'Created the API key “Till”').click();
    await rows(page).nth(1).getByText(key.id).waitFor();
    expect(await rows(page).nth(1).getByRole('link').count()).toBe(0);
  });
});

describe('the log', () => {
  test('is filtered, keeps its filters in the URL, and clears them with one press', async () => {
    const { page, problems } = await enter();
    await countOf(page, 2);
    await page.getByRole('combobox', { name: 'Action' }).fill('keys: all');
    await page.getByRole('option', { name: 'API keys: all' }).click();
    await page.waitForURL('**/audit?action=api_key.*');
    await countOf(page, 1);
    await page.reload();
    await countOf(page, 1);
    const action = page.getByRole('combobox', { name: 'Action' });
    await expectEventually(async () => expect(await action.inputValue()).toBe('API keys: all'), {
      withinMs: 10_000,
    });

    await page.getByRole('combobox', { name: 'Actor' }).click();
    await page.getByRole('option', { name: `Ada Lovelace · ${ada.email}` }).click();
    await page.getByText('No events match.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await countOf(page, 2);

    await page.getByLabel('To', { exact: true }).fill('2020-01-31');
    await page.getByText('No events match.').waitFor();
    await page.getByLabel('To', { exact: true }).fill('');
    await countOf(page, 2);
    expect(problems).toEqual([]);
  });

  test('shows more events without a gap', async () => {
    await fill(60);
    const { page } = await enter();
    await countOf(page, 50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await countOf(page, 62);
    expect(await rows(page).last().textContent()).toMatch(/^Signed up/);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  });

  test('that cannot be loaded shows its reason and loads on retry', async () => {
    const { page } = await enter();
    await countOf(page, 2);
    await page.route('**/audit-events', (route) => route.fulfill(failure));
    await page.reload();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/is not available\..*req-of-this-failure/);
    await page.unroute('**/audit-events');
    await page.getByRole('button', { name: 'Try again' }).click();
    await countOf(page, 2);
  });

  test('is shown as cards on a phone', async () => {
    const { page } = await enter('', { viewport: phone, hasTouch: true });
    const cards = page.getByRole('list', { name: 'Audit log' }).locator('> li');
    await cards.first().waitFor();
    expect(await cards.count()).toBe(2);
    await details(page, 'Created the API key “Till”').tap();
    await cards.first().getByText('orders:read').waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
  });

  test('is accessible when opened, with very long names', async () => {
    const name = 'W'.repeat(100);
    await stage.platform.createKey({ businessId: ada.businessId, name });
    const { page, problems } = await enter();
    await details(page, `Created the API key “${name}”`).click();
    await rows(page).first().getByText('Request ID').waitFor();
    for (const size of [desk, { width: 900, height: 800 }]) {
      await page.setViewportSize(size);
      expect(await widthOf(page)).toBeLessThanOrEqual(size.width);
    }
    expect(await auditAccessibility(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('an export', () => {
  test('contains the events that the filters select', async () => {
    const { page, problems } = await enter('?action=api_key.*');
    await countOf(page, 1);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/);
    await page.getByText(`Saved as ${download.suggestedFilename()}`).waitFor();
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^\ufefftime,/);
    expect(lines[1]).toContain(',Created the API key “Till”,api_key.created,');
    expect(problems).toEqual([]);
  });

  test('that fails shows an error', async () => {
    const { page } = await enter();
    await countOf(page, 2);
    await page.route('**/audit-events.csv*', (route) =>
      route.fulfill({ status: 503, json: { error: 'Please try again in a moment.', status: '', code: 503 } }),
    );
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    await page.getByRole('alert').filter({ hasText: 'Please try again in a moment.' }).waitFor();
  });
});
