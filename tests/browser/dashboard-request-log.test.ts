import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { addManyKeys } from '../harness/many-keys.ts';
import { auditAccessibility } from './accessibility-audit.ts';
import { addressOf, countOf, linkOf, rowsOf, setRequestsStage } from './dashboard-requests.ts';
import { focusComesTo, tabTo } from './keyboard.ts';
import { heading, region } from './locators.ts';
import { setStage } from './stage.ts';
import { watchRequests } from './unattended.ts';

/** The log of all requests: long, live, searched, summed, exported, and a request that is sent again. */

const reference = readFileSync(new URL('../../api/platform.yaml', import.meta.url), 'utf8');

const stage = setStage();
const requests = setRequestsStage(stage);
const { enter, send, addRecords } = requests;

/** Counts requests of a minute that the log could not take. */
const addUnlisted = (count: number, minutesAgo: number) =>
  stage.platform.sql(
    `INSERT INTO request_log_minutes (business_id, minute, listed, unlisted)
     VALUES ($1, date_trunc('minute', now()) - $3 * interval '1 minute', 0, $2)`,
    [requests.ada.businessId, count, minutesAgo],
  );

test('a request that succeeded shows its durations, its size and who sent it, and all its checks passed', async () => {
  const id = await send('/v2/order');
  await stage.platform.sql(
    `UPDATE request_log SET duration_ms = 1240, upstream_ms = 42.1, response_bytes = 12345, user_agent = 'shop/2.4'
     WHERE id = $1`,
    [id],
  );
  const { page, problems } = await enter();
  expect(await rowsOf(page).first().textContent()).toMatch(/GET \/v2\/order2001\.24 sTill127\.0\.0\.1$/);
  await linkOf(page, 'GET /v2/order').click();
  await heading(page, 'Succeeded').waitFor();
  const facts = await region(page, 'Request').textContent();
  expect(facts).toContain('1.24 s, of which the service 42.1 ms');
  expect(facts).toContain('12.3 kB');
  expect(facts).toContain('shop/2.4');
  const outcomes = region(page, 'Checks').locator('[data-outcome=passed]');
  expect(await outcomes.count()).toBe(12);
  expect(await auditAccessibility(page)).toEqual([]);
  expect(problems).toEqual([]);
});

describe('a list of 100,000 requests', () => {
  test('renders 500 rows at most, and the keyboard moves through them', async () => {
    await addRecords(100_000);
    const { page, problems } = await enter();
    await countOf(page, 50);
    for (let loaded = 100; loaded <= 600; loaded += 50) {
      await page.getByRole('button', { name: 'Show more' }).click();
      await countOf(page, Math.min(loaded, 500));
    }
    const position = async (row: 'first' | 'last') =>
      Number(await rowsOf(page)[row]().getAttribute('aria-rowindex'));
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.locator('tr[aria-rowindex="601"]').waitFor();
    expect([await position('first'), await position('last')]).toEqual([102, 601]);

    await page.keyboard.press('/');
    await focusComesTo(page, 'textbox "Find requests"');
    await page.locator('tr[aria-rowindex="2"]').waitFor();
    expect([await position('first'), await position('last')]).toEqual([2, 501]);
    await linkOf(page, '').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
    const third = page.locator('tr[aria-rowindex="4"]').getByRole('link').first();
    const path = await third.getAttribute('href');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${path}`);
    expect(problems).toEqual([]);
  });
});

test('requests that the log could not take are named at their place', async () => {
  await addRecords(200);
  await addUnlisted(1_204, 1);
  const { page } = await enter();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('button', { name: 'Show more' }).click();
  const notice = page.getByRole('row', { name: /^1,204 requests of \d\d:\d\d are not listed/ });
  await notice.waitFor();
  const minuteOf = async (place: string) => {
    const time = notice.locator(`xpath=${place}::tr[1]`).locator('time');
    return (await time.getAttribute('datetime'))?.slice(0, 16);
  };
  const [before, after] = [await minuteOf('preceding-sibling'), await minuteOf('following-sibling')];
  const unlisted = new Date(Date.now() - 60_000).toISOString().slice(0, 16);
  expect(before === unlisted || (before ?? '') > (after ?? '')).toBe(true);
  expect((after ?? '') < (before ?? '')).toBe(true);
});

test('a live list shows new requests by itself, and keeps still while the pointer is in it', async () => {
  await addRecords(2);
  const { page, problems } = await enter();
  await countOf(page, 2);
  await page.clock.install();
  await page.getByRole('switch', { name: 'Live' }).click();
  await send('/v2/order');
  await page.clock.runFor(2_000);
  await countOf(page, 3);
  expect(await page.locator('tr[data-new]').count()).toBe(1);
  expect(await rowsOf(page).first().textContent()).toContain('200');

  await rowsOf(page).last().hover();
  await page.getByText('Paused while you are in the list').waitFor();
  const asked = watchRequests(page);
  await send('/v2/order/ord_nothing');
  await page.clock.runFor(20_000);
  expect(await rowsOf(page).count()).toBe(3);
  expect(asked.filter((path) => path.endsWith('/requests'))).toEqual([]);
  await page.mouse.move(0, 0);
  await countOf(page, 4);
  expect(problems).toEqual([]);
});

describe('the search', () => {
  test('finds an order and an address, keeps them in the URL, and is cleared', async () => {
    await send('/v2/order/ord_nothing');
    await addRecords(2);
    const { page, problems } = await enter();
    await countOf(page, 3);
    const field = page.getByLabel('Find requests');
    for (const [typed, search, found] of [
      ['ord_nothing', '?text=ord_nothing', 1],
      [
        '2001:DB8:1234:5678:9abc:def0:1234:5678',
        '?address=2001%3Adb8%3A1234%3A5678%3A9abc%3Adef0%3A1234%3A5678',
        2,
      ],
    ] as const) {
      await field.fill(typed);
      await field.press('Enter');
      await countOf(page, found);
      expect(addressOf(page)).toBe(search);
    }
    await page.reload();
    await countOf(page, 2);
    expect(await field.inputValue()).toBe('2001:db8:1234:5678:9abc:def0:1234:5678');
    await page.getByRole('button', { name: 'Clear search' }).click();
    await countOf(page, 3);
    expect(addressOf(page)).toBe('');
    expect(problems).toEqual([]);
  });

  test('of keys finds any of more than 1,000, and names a chosen one', async () => {
    const idOf = await addManyKeys(stage.platform, requests.ada.businessId, 1_001);
    const { page, problems } = await enter(`?credential=${idOf(1)}`);
    const field = page.getByRole('combobox', { name: 'Key or app' });
    await expectEventually(async () => expect(await field.inputValue()).toBe('key 1 (…abcd)'), {
      withinMs: 5_000,
    });
    await field.fill('key 2');
    await page.getByRole('option', { name: 'key 2 (…abcd)' }).click();
    await page.waitForURL(`**?credential=${idOf(2)}`);
    expect(problems).toEqual([]);
  });

  test('of endpoints has each one whose requests are listed, and paths that do not exist', async () => {
    const { page } = await enter();
    await page.getByRole('combobox', { name: 'Endpoint' }).click();
    await page.getByRole('option').first().waitFor();
    const listed = (await page.getByRole('option').allTextContents()).map((text) => text.split(' ').at(-1));
    const all = [...reference.matchAll(/^ {2}(\/(?:v2|oauth)\/.*):$/gm)].map(([, path = '']) => path);
    // The gateway checks no credential there: their requests are in no list of a business.
    const paths = all.filter((path) => !/^\/v2\/(?:keys\/self-revoke|leaks)/.test(path));
    expect([...new Set(listed)].sort()).toEqual([...paths, 'paths'].sort());
  });
});

test('errors are summed by reason with a trend, each linked to its requests, and durations by endpoint', async () => {
  await addRecords(30);
  await send('/v2/order');
  await send('/v2/order/ord_nothing');
  const { page, problems } = await enter('?view=groups');
  const table = page.getByRole('table', { name: 'Refused and failed requests' });
  await table.waitFor();
  expect(await table.locator('tbody tr').first().textContent()).toMatch(
    /^The service did not respondGET \/v2\/order502TillAPI key30/,
  );
  await table
    .getByRole('img', { name: 'In 12 equal parts of the time: 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 30' })
    .waitFor();
  expect(await auditAccessibility(page)).toEqual([]);
  await table.getByRole('link', { name: 'The service did not respond' }).click();
  await countOf(page, 30);
  expect(addressOf(page)).toContain('status=502&reason=upstream_failed');

  await page.getByRole('button', { name: 'Clear search' }).waitFor({ state: 'hidden' });
  await page.goto(page.url().replace(/\?.*/, '?view=durations'));
  const durations = page.getByRole('table', { name: 'Durations' });
  await durations.waitFor();
  expect(await durations.locator('tbody tr').first().textContent()).toMatch(
    /^GET \/v2\/order313012\.5 ms12\.5 ms[\d.]+ m?s$/,
  );
  expect(await auditAccessibility(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('the filtered requests are exported as CSV, without a formula', async () => {
  await addRecords(3);
  await stage.platform.sql("UPDATE request_log SET user_agent = '=cmd()' WHERE business_id = $1", [
    requests.ada.businessId,
  ]);
  await send('/v2/order');
  const { page } = await enter('?status=5xx');
  await countOf(page, 3);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^requests-\d{4}-\d\d-\d\d\.csv$/);
  const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
  expect(lines).toHaveLength(5);
  expect(lines[0]).toMatch(/^\ufefftime,request_id,/);
  expect(lines[1]).toMatch(/,GET,\/v2\/order,\/v2\/order,502,upstream_failed,.*,'=cmd\(\)$/);
});

test('a refused GET is sent again with a pasted key, without the session, and the page shows it', async () => {
  const id = await send('/v2/businesses/me?secret=1');
  const fit = await stage.platform.createKey({ businessId: requests.ada.businessId, name: 'Fit' });
  const { page, problems } = await enter(`/${id}`);
  await region(page, 'Checks').locator('[data-outcome=failed]').waitFor();
  const field = page.getByLabel('API key or access token');
  expect(await field.getAttribute('type')).toBe('password');
  await field.fill(fit.keyString);
  await tabTo(page, 'button "Send"');
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.url().endsWith('/v2/businesses/me')),
    page.keyboard.press('Enter'),
  ]);
  expect(await sent.allHeaders()).toMatchObject({ authorization: `Bearer ${fit.keyString}` });
  expect(await sent.headerValue('cookie')).toBeNull();
  await page.getByText('This page shows the new request now.').waitFor();
  await heading(page, 'Succeeded').waitFor();
  await page.getByText('The one before: 403, Scope business:read is missing.').waitFor();
  expect(await page.getByRole('link', { name: 'About this error' }).count()).toBe(0);
  expect(await region(page, 'Checks').locator('[data-outcome=passed]').count()).toBe(12);
  expect(page.url()).not.toContain('sk_');
  expect(await auditAccessibility(page)).toEqual([]);
  await page.getByRole('link', { name: 'Open the new request' }).click();
  await field.waitFor({ state: 'detached' });
  await heading(page, 'Succeeded').waitFor();
  await page.goBack();
  await field.waitFor();
  expect(await field.inputValue()).toBe('');
  expect(problems).toEqual([]);
});
