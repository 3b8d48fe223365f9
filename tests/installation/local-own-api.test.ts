import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startCallbackApplication } from '../browser/callback-application.ts';
import { launchChromium, openWindow } from '../browser/chromium.ts';
import { takeSecret } from '../browser/dashboard-apps.ts';
import { fillForm } from '../browser/fill-form.ts';
import { field, heading, permission, press, region } from '../browser/locators.ts';
import { request } from '../harness/http-request.ts';
import { type NpmStart, npmStart } from '../harness/npm-start.ts';
import { authorizePath, oauthClient, pkce, tokensOf } from '../harness/oauth.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { running } from '../harness/running.ts';
import { startWebhookReceiver, verified } from '../harness/webhook-receiver.ts';
import { awaitReceived } from '../harness/webhooks.ts';

const folder = 'examples/own-api';

interface Demo {
  readonly baseUrl: string;
  readonly secretKey: string;
  readonly restrictedKey: string;
  readonly business: { readonly id: number };
  readonly login: { readonly email: string; readonly password: string };
}

describe('npm start with a service of a developer', () => {
  const directory = join(runDirectory().newDirectory('local'), '.local');
  let start: NpmStart;
  let port: number;
  let demo: Demo;
  beforeAll(async () => {
    start = await npmStart(directory, {}, 'start', '.', ['--with', folder]);
    await start.untilReady();
    demo = JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8'));
    port = Number(new URL(demo.baseUrl).port);
  });
  afterAll(async () => {
    start.ctrlC();
    await start.exited;
  });

  const send = (method: string, path: string, key?: string, body?: object) =>
    request(port, method, path, {
      headers: { Connection: 'close' },
      ...(key && { key }),
      ...(body && { body }),
    });

  test('forwards what its document describes, for each business apart', async () => {
    const made = await send('POST', '/v2/invoices', demo.secretKey, { customer: 'Ada', total: 900 });
    expect([made.status, made.headers['x-ratelimit-remaining']]).toEqual([201, expect.any(String)]);
    const path = String(made.headers.location);
    expect((await send('GET', path, demo.secretKey)).json()).toMatchObject({ customer: 'Ada', total: 900 });
    expect((await send('GET', '/v2/invoices', demo.secretKey)).json()).toHaveLength(1);
    expect((await send('GET', '/v2/invoices/inv_0', demo.secretKey)).status).toBe(404);
    const { data } = (await send('GET', '/v2/events?types=invoice.created', demo.secretKey)).json() as {
      data: unknown;
    };
    expect(data).toMatchObject([
      { type: 'invoice.created', data: { id: path.split('/').at(-1), total: 900 } },
    ]);
  });

  test('refuses before its service what has no credential or not the scope', async () => {
    expect((await send('GET', '/v2/invoices')).status).toBe(401);
    const refused = await send('GET', '/v2/invoices', demo.restrictedKey);
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      403,
      expect.stringContaining('scope="invoices:read"'),
    ]);
  });

  test('its service refuses what did not come through the gateway', async () => {
    const headers = { 'x-passport': 'e30.e30.e30', Connection: 'close' };
    for (const sent of [headers, { Connection: 'close' }])
      expect((await request(4600, 'GET', '/v2/invoices', { headers: sent })).status).toBe(401);
  });

  test('is in the documentation', async () => {
    expect((await send('GET', '/docs/reference')).text).toContain('id="/Invoices/createInvoice"');
    expect((await send('GET', '/docs/openapi.yaml')).text).not.toContain(':4600');
  });

  describe('in the browser of the owner', () => {
    const shop = running(startCallbackApplication);
    const receiver = running(startWebhookReceiver);
    let chromium: Browser;
    beforeAll(async () => {
      chromium = await launchChromium();
    });
    afterAll(() => chromium?.close());

    /** Registers an application that asks for both scopes of the document. */
    const register = async (page: Page) => {
      await heading(page, 'Register an app').waitFor();
      await field(page, 'Name').fill('Parcel Pilot');
      await field(page, 'Description').fill('Invoices what it ships');
      await field(page, 'Redirect URI').fill(shop.redirectUri);
      await permission(page, 'invoices:read').check();
      await permission(page, 'invoices:write').check();
      await press(page, 'Add it');
      await press(page, 'Register the app');
      const made = await takeSecret(page, 'Your app is registered');
      return { ...made, id: '', businessId: demo.business.id, redirectUri: shop.redirectUri };
    };

    /** Adds an endpoint that receives the event of the document alone; returns its secret. */
    const addEndpoint = async (page: Page) => {
      await press(page, 'Add endpoint');
      const form = page.getByRole('dialog', { name: 'Add an endpoint' });
      await field(form, 'URL').fill(receiver.url);
      await form.getByRole('checkbox', { name: 'Invoice created' }).check();
      await press(form, 'Add');
      const dialog = page.getByRole('dialog', { name: 'Signing secret' });
      const secret = await dialog.locator('code').first().textContent();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      return secret ?? '';
    };

    test('an app gets its scopes by consent, and the invoice that it creates arrives as a signed webhook', async () => {
      const { page, problems } = await openWindow(chromium, {
        baseURL: demo.baseUrl,
        reducedMotion: 'reduce',
      });
      const developers = `/dashboard/${demo.business.id}/settings/developers`;
      await page.goto(`${developers}/apps/new`);
      const { email, password } = demo.login;
      await fillForm(page, { 'Email address': email, Password: password }, 'Log in');
      const app = await register(page);
      await page.goto(`${developers}/webhooks`);
      const secret = await addEndpoint(page);

      const { verifier, challenge } = pkce();
      await page.goto(authorizePath(app, { code_challenge: challenge }));
      await heading(page, 'Connect Parcel Pilot?').waitFor();
      expect(await page.getByRole('listitem').allTextContents()).toEqual([
        'See your invoices',
        'Create invoices',
      ]);
      await press(page, 'Approve');
      await page.waitForURL(shop.lastPage);
      const code = shop.callbacks.at(-1)?.get('code') ?? '';
      const { accessToken } = tokensOf(
        await oauthClient({ gatewayPorts: [port] }, app).exchange(code, verifier),
      );

      const made = await send('POST', '/v2/invoices', accessToken, { customer: 'Grace', total: 1_250 });
      expect(made.status).toBe(201);
      const { id } = made.json() as { id: string };
      await awaitReceived(receiver, 1);
      const event = { type: 'invoice.created', data: { id, total: 1_250 } };
      expect(receiver.received.map((received) => verified(secret, received))).toEqual([
        expect.objectContaining(event),
      ]);

      await page.goto(`${developers}/webhooks`);
      await press(region(page, 'Deliveries'), 'invoice.created');
      const delivery = page.getByRole('dialog', { name: 'Delivery' });
      await delivery.getByText('Delivered').waitFor();
      await delivery.getByText('Changed by').waitFor({ state: 'detached' });
      expect(problems).toEqual([]);
    });
  });

  test('ends with its service, and prints the error', async () => {
    expect(start.parts()).toContain(folder);
    start.signalPart(folder, 'SIGKILL');
    await start.untilPrinted(`${folder} ended unexpectedly`);
    await start.exited;
    expect(start.parts()).toEqual([]);
  });
});

test('npm start names what is wrong with a document', async () => {
  const directory = join(runDirectory().newDirectory('local'), '.local');
  const start = await npmStart(directory, {}, 'start', '.', ['--with', 'examples']);
  await start.untilPrinted('--with examples: there is no examples/main.ts');
  expect((await start.exited).code).toBe(1);
});
