import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { oauthClient } from '../harness/oauth.ts';
import { auditAccessibility } from './accessibility-audit.ts';
import { addressOf, awaitRecord, countOf, linkOf, rowsOf, setRequestsStage } from './dashboard-requests.ts';
import { failure } from './failure.ts';
import { focusComesTo } from './keyboard.ts';
import { heading, region } from './locators.ts';
import { desk, phone } from './screens.ts';
import { setStage } from './stage.ts';

/** Requests: found in a list or by id, each with its decision and a link to the fix. */

const stage = setStage();
const requests = setRequestsStage(stage);
const { enter, send, addRecords } = requests;

test('the list links to the decision, and the decision to the fix', async () => {
  await send('/v2/businesses/me');
  const { page, problems } = await enter();
  await linkOf(page, 'Scope business:read is missing').click();
  await heading(page, 'Scope business:read is missing').waitFor();
  const steps = region(page, 'Checks').getByRole('listitem');
  expect(await steps.allTextContents()).toEqual([
    'The request is unambiguousPassed',
    'A credential was sentPassed',
    'It has the format of a key or tokenPassed',
    'It existsPassed',
    'It has not expiredPassed',
    'The limit of the rolling hour is not reachedPassed',
    'API access of the business is not frozenPassed',
    'The key itself is not frozenPassed',
    'The key may be used from the address 127.0.0.1Passed',
    'It has the scope business:readThe key does not have the scope business:read.Failed',
    'The path exists and supports GETNot checked',
    'The service processed the requestNot checked',
  ]);
  const help = await page.getByRole('link', { name: 'About this error' }).getAttribute('href');
  expect((await page.request.get(help ?? '')).status()).toBe(200);
  expect(help).toBe('/docs/errors#insufficient_scope');
  await page.getByRole('link', { name: 'Open the key' }).click();
  await heading(page, 'Till').waitFor();
  expect(problems).toEqual([]);
});

test('a 400 names its parameter, and the filter by reason finds it', async () => {
  await send('/v2/order?limit=0');
  await send('/v2/businesses/me');
  const { page, problems } = await enter();
  await countOf(page, 2);
  for (const [option, reason] of [
    ['The request is invalid (400)', 'invalid_request'],
    ['A query parameter is not valid', 'invalid_query'],
  ] as const) {
    await page.getByRole('combobox', { name: 'Reason' }).click();
    await page.getByRole('option', { name: option }).click();
    await page.waitForURL(`**/requests?reason=${reason}`);
    await countOf(page, 1);
  }
  await linkOf(page, 'Query parameter limit is not valid').click();
  await heading(page, 'Query parameter limit is not valid').waitFor();
  await region(page, 'The query parameter “limit” is not valid.').waitFor();
  expect(problems).toEqual([]);
});

test('a refused OAuth request shows its secret and address, and one press adds the address to the whitelist', async () => {
  const application = await stage.platform.createApplication({
    businessId: requests.ada.businessId,
    name: 'Parcel Post',
    ipWhitelist: ['192.0.2.1'],
  });
  const knock = () => oauthClient(stage.platform, application).post('/v2/oauth/token', {});
  const { response } = await knock();
  const id = String(response.headers['x-request-id']);
  await awaitRecord(stage, id);
  const { page, problems } = await enter();
  await linkOf(page, 'The address is not on the whitelist').click();
  await region(page, 'Checks').waitFor();
  expect(addressOf(page)).toBe(`/${id}`);
  const facts = await region(page, 'Request').textContent();
  expect(facts).toContain(`cs_…${application.clientSecret.slice(-4)}`);
  expect(facts).toContain('invalid_client: client authentication failed');
  await page.getByRole('button', { name: /^Add .* to the whitelist$/ }).click();
  await page.getByText('is on the IP whitelist now').waitFor();
  expect((await knock()).body.error).toBe('invalid_request');
  await page.getByRole('link', { name: 'Parcel Post' }).click();
  await heading(page, 'Parcel Post').waitFor();
  expect(problems).toEqual([]);
});

describe('by its id', () => {
  test('a request is found with the keyboard, pasted with its header name', async () => {
    const id = await send('/v2/orders');
    const { page, problems } = await enter();
    await heading(page, 'Requests').waitFor();
    await page.getByLabel('Find requests').focus();
    await page.keyboard.insertText(`X-Request-Id: ${id.toUpperCase()} `);
    await page.keyboard.press('Enter');
    await heading(page, 'No such path').waitFor();
    expect(addressOf(page)).toBe(`/${id}`);
    await focusComesTo(page, 'heading "No such path"');
    await page.goBack();
    await heading(page, 'Requests').waitFor();
    expect(problems).toEqual([]);
  });

  test('a request with an unknown key is found too, and is in no list', async () => {
    const id = await send('/v2/order', createCheckedToken('sk'));
    const { page } = await enter();
    await page.getByText('No requests yet').waitFor();
    await page.getByLabel('Find requests').fill(id);
    await page.getByRole('button', { name: 'Find' }).click();
    await heading(page, 'The key or token does not exist').waitFor();
    await page.getByRole('link', { name: 'Open your keys' }).waitFor();
  });

  test('a request that is not recorded yet is found a moment later', async () => {
    const id = randomUUID();
    const { page, problems } = await enter(`/${id}`);
    await page.getByText('No request with this ID').waitFor();
    await addRecords(1);
    await stage.platform.sql('UPDATE request_log SET id = $1 WHERE business_id = $2', [
      id,
      requests.ada.businessId,
    ]);
    await page.getByRole('button', { name: 'Check again' }).click();
    await heading(page, 'The service did not respond').waitFor();
    expect(problems).toEqual([]);
  });
});

describe('the list', () => {
  test('is filtered, keeps its filters in the URL, and clears them with one press', async () => {
    await addRecords(3);
    await send('/v2/businesses/me');
    const { page, problems } = await enter();
    await countOf(page, 4);

    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: '4xx refused' }).click();
    await page.waitForURL('**/requests?status=4xx');
    await countOf(page, 1);
    await page.getByRole('combobox', { name: 'Key or app' }).click();
    await page.getByRole('option', { name: /^Till/ }).click();
    await page.waitForURL(`**/requests?status=4xx&credential=${requests.key.id}`);
    await page.reload();
    await countOf(page, 1);
    const chosen = page.getByRole('combobox', { name: 'Key or app' });
    await expectEventually(async () => expect(await chosen.inputValue()).toMatch(/^Till \(…/), {
      withinMs: 5_000,
    });

    await page.getByRole('combobox', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'From … to …' }).click();
    await page.getByLabel('To', { exact: true }).fill('2020-01-31T12:00');
    await page.getByText('No requests match.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await countOf(page, 4);
    expect(addressOf(page)).toBe('');
    expect(problems).toEqual([]);
  });

  test('is filtered by any connected app, even with more than a page of apps', async () => {
    await stage.platform.sql(
      `WITH made AS (
         INSERT INTO applications (id, client_id, business_id, name, description, webhooks_enabled)
         SELECT 'apl_' || $1::bigint || '_' || n, 'app_' || $1::bigint || '_' || n, 900000 + n, 'App ' || n, '', false
         FROM generate_series(1, 51) AS n RETURNING id
       )
       INSERT INTO grants (id, application_id, business_id, person_id, scopes)
       SELECT 'grt_' || id, id, $1::bigint, 'nobody', '{orders:read}' FROM made`,
      [requests.ada.businessId],
    );
    const { page, problems } = await enter();
    await page.getByRole('combobox', { name: 'Key or app' }).click();
    const apps = page.getByRole('group', { name: 'Connected apps' }).getByRole('option');
    await expectEventually(async () => expect(await apps.count()).toBe(51), { withinMs: 5_000 });
    expect(problems).toEqual([]);
  });

  test('shows more requests, including those that arrived in the meantime', async () => {
    await addRecords(60);
    const { page, problems } = await enter();
    await countOf(page, 50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await countOf(page, 60);
    await send('/v2/businesses/me');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await linkOf(page, 'Scope business:read is missing').waitFor();
    expect(problems).toEqual([]);
  });

  test('cuts no text on a desk, in rows of 40 pixels, and says for how long requests are kept', async () => {
    await addRecords(1);
    await send('/v2/order/ord_7f3aB9cD0eFgHiJkLmNo');
    await send('/v2/businesses/me');
    const { page } = await enter('', { viewport: desk });
    await page.getByText('the last 30 days, at most the newest 1,000,000').waitFor();
    await countOf(page, 3);
    const measured = await page.evaluate(`[...document.querySelectorAll('tr[data-row]')].map((row) => ({
      height: row.offsetHeight,
      cut: [...row.querySelectorAll('td, td > div')]
        .filter((part) => part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight)
        .map((part) => part.textContent),
    }))`);
    expect(measured).toEqual(Array.from({ length: 3 }, () => ({ height: 40, cut: [] })));
  });

  test('is shown as cards on a phone', async () => {
    await addRecords(2);
    const { page } = await enter('', { viewport: phone, hasTouch: true });
    const cards = page.getByRole('list', { name: 'Requests' }).locator('> li');
    await cards.first().waitFor();
    expect(await cards.count()).toBe(2);
    await cards.first().getByRole('link', { name: 'GET /v2/order' }).tap();
    await heading(page, 'The service did not respond').waitFor();
  });

  test('that cannot be loaded shows its reason and loads on retry', async () => {
    await addRecords(1);
    const { page } = await enter('/nothing');
    await page.route('**/dashboard-api/businesses/*/requests', (route) => route.fulfill(failure));
    await page.getByRole('link', { name: 'Requests' }).last().click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/is not available\..*req-of-this-failure/);
    await page.unroute('**/dashboard-api/businesses/*/requests');
    await page.getByRole('button', { name: 'Try again' }).click();
    await rowsOf(page).first().waitFor();
  });
});

test('list and decision are accessible and fit a phone, with very long paths and names', async () => {
  const name = 'W'.repeat(100);
  const long = await stage.platform.createKey({ businessId: requests.ada.businessId, name });
  await addRecords(1);
  await send(`/v2/${'x-'.repeat(90)}`, long.keyString);
  const invalid = await send(`/v2/order?${'x_'.repeat(50)}=1`, long.keyString);
  const { page, problems } = await enter();
  await rowsOf(page).getByText(name).first().waitFor();
  expect(await auditAccessibility(page)).toEqual([]);
  await linkOf(page, 'No such path').click();
  await region(page, 'Checks').waitFor();
  expect(await auditAccessibility(page)).toEqual([]);
  await page.goto(page.url().replace(/[^/]*$/, invalid));
  await region(page, 'Checks').waitFor();
  expect(await auditAccessibility(page)).toEqual([]);
  expect(problems).toEqual([]);
});
