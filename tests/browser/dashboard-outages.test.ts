import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { untilBusinessIsBack } from '../harness/business-outage.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect } from '../harness/oauth.ts';
import { signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { takeSecret } from './dashboard-apps.ts';
import { restricted, takeKey } from './dashboard-keys.ts';
import { button, field, heading, permission, press, region, toast } from './locators.ts';
import { setStage } from './stage.ts';

/** The dashboard of an installation without a part: for a while, or for good. Each outage is one, for all pages. */

const stage = setStage({});

/** A page that is open before a part is lost. */
interface Visit {
  whileDown(): Promise<void>;
  /** Once the part is back. */
  afterwards?(): Promise<void>;
}

let ada: TestPerson;
beforeAll(async () => {
  ada = await signUpVerified(stage.platform);
});

const own = (path: string) => `/dashboard/${ada.businessId}${path}`;
const developers = (path: string) => own(`/settings/developers${path}`);

/** Presses a button until a dialog comes. */
async function pressUntil(page: Page, name: string, title: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title });
  await expectEventually(
    async () => {
      if (await dialog.isVisible()) return;
      await button(page, name).click({ timeout: 1_000 });
      await dialog.waitFor({ timeout: 3_000 });
    },
    { withinMs: 20_000 },
  );
}

test('an installation without a webhook-service says that webhooks are not available', async () => {
  const { page, problems } = await stage.enterAs(ada, developers('/webhooks'));
  await page.getByText('Webhooks are not part of this installation').waitFor();
  expect(await button(page, 'Add endpoint').count()).toBe(0);
  expect(problems).toEqual([]);
});

/** Team and access are shown; record and verification come on retry. */
async function visitBusiness(): Promise<Visit> {
  const { page } = await stage.enterAs(ada, own('/settings/business'));
  return {
    whileDown: async () => {
      await page.reload();
      await page.getByText('Record and verification are temporarily unavailable').waitFor();
      await region(page, 'Team').getByText(ada.email).waitFor();
      expect(await page.getByRole('switch', { name: 'Freeze API access' }).isChecked()).toBe(false);
    },
    afterwards: async () => {
      const record = region(page, 'Record');
      await expectEventually(
        async () => {
          if (await record.isVisible()) return;
          await page.getByRole('button', { name: 'Try again' }).click({ timeout: 2_000 });
          await record.waitFor({ timeout: 2_000 });
        },
        { withinMs: 20_000 },
      );
    },
  };
}

/** The form keeps its input, and shows an error. */
async function visitVerification(): Promise<Visit> {
  const bob = await signUp(stage.platform);
  const { page } = await stage.enterAs(bob, `/dashboard/${bob.businessId}/settings/business`);
  const verification = region(page, 'Verification');
  const name = verification.getByRole('textbox', { name: 'Registered name' });
  const submit = () => verification.getByRole('button', { name: 'Submit for verification' }).click();
  await name.fill('Analytical Engines Limited');
  await verification.getByRole('textbox', { name: 'Registration number' }).fill('HRB 1000');
  await verification.getByRole('combobox', { name: 'Country' }).fill('france');
  await page.getByRole('option', { name: 'France' }).first().click();
  return {
    whileDown: async () => {
      await submit();
      await verification.getByRole('alert').filter({ hasText: 'is not available' }).waitFor();
      // The person comes back from another tab, and all is loaded again.
      const reloaded = page.waitForResponse((response) =>
        response.url().endsWith(`/businesses/${bob.businessId}`),
      );
      await page.clock.setFixedTime(Date.now() + 60_000);
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      expect(await (await reloaded).json()).toMatchObject({ record: null });
      expect(await name.inputValue()).toBe('Analytical Engines Limited');
    },
    afterwards: async () => {
      await submit();
      await verification.getByText('In review', { exact: true }).waitFor();
    },
  };
}

/** A connected app is shown without its publisher. */
async function visitConnected(): Promise<Visit> {
  const maker = await signUpVerified(stage.platform, { businessName: 'Maker Ltd' });
  const application = await stage.platform.createApplication({
    businessId: maker.businessId,
    name: 'Ledgerly',
  });
  await connect(stage.platform, ada.browser, application);
  const { page } = await stage.enterAs(ada, own('/connected'));
  const card = page.getByRole('listitem', { name: 'Ledgerly', exact: true });
  await card.waitFor();
  return {
    whileDown: async () => {
      await page.reload();
      await card.getByText('Publisher unavailable').waitFor();
    },
    afterwards: () =>
      expectEventually(
        async () => {
          await page.reload();
          const publisher = card.getByText(/By Maker Ltd|Publisher unavailable/);
          expect(await publisher.first().textContent()).toContain('By Maker Ltd');
        },
        { withinMs: 30_000 },
      ),
  };
}

/** The form keeps its input, and shows what may have happened. */
async function visitNewApp(): Promise<Visit> {
  const { page } = await stage.enterAs(ada, developers('/apps/new'));
  await field(page, 'Name').fill('Shop');
  await field(page, 'Description').fill('Sends orders out');
  await field(page, 'Redirect URI').fill('https://shop.example/callback');
  await permission(page, 'orders:read').check();
  await field(page, 'Address or network').fill('192.0.2.1');
  return {
    whileDown: async () => {
      await press(page, 'Register the app');
      await page.getByRole('alert').getByText('is not available').waitFor();
      await page.getByText('The app may have been registered anyway.').waitFor();
    },
    afterwards: async () => {
      await pressUntil(page, 'Register the app', 'Your app is registered');
      await takeSecret(page, 'Your app is registered');
      await heading(page, 'Shop').waitFor();
    },
  };
}

async function visitNewKey(): Promise<Visit> {
  const { page } = await stage.enterAs(ada, developers('/keys/new'));
  await field(page, 'Name').fill('Later');
  await permission(page, 'orders:read').check();
  return {
    whileDown: async () => {
      await press(page, 'Create key');
      const alert = page.getByRole('alert');
      await alert.getByText('is not available').waitFor();
      await alert.getByText('Request ID:').waitFor();
      await page.getByText('The key may have been created anyway.').waitFor();
    },
    afterwards: async () => {
      await pressUntil(page, 'Create key', 'Your new API key');
      const { close } = await takeKey(page, 'Your new API key');
      await close();
      await heading(page, 'Later').waitFor();
    },
  };
}

/** A first step of the overview says that its state is unknown. */
async function visitOverview(): Promise<Visit> {
  const { page } = await stage.enterAs(ada, own(''));
  await region(page, 'Get started').getByRole('listitem').first().waitFor();
  return {
    whileDown: async () => {
      await page.reload();
      await page.getByText('Status currently unavailable.').waitFor();
    },
  };
}

test('while business-service is down, pages show what they have, forms keep their input, and all works afterwards', async () => {
  const visits: Visit[] = [];
  for (const visit of [
    visitOverview,
    visitBusiness,
    visitVerification,
    visitConnected,
    visitNewApp,
    visitNewKey,
  ]) {
    visits.push(await visit());
  }
  const [service] = stage.platform.businesses;
  await service?.stop();
  for (const { whileDown } of visits) await whileDown();
  await service?.start();
  await untilBusinessIsBack(stage.platform);
  for (const { afterwards } of visits) await afterwards?.();
});

/** A freeze that gateways have not confirmed. */
async function visitFreeze(): Promise<Visit> {
  const owner = await signUpVerified(stage.platform);
  const { page } = await stage.enterAs(owner, `/dashboard/${owner.businessId}/settings/business`);
  await page.getByRole('switch', { name: 'Freeze API access' }).click();
  return {
    whileDown: async () => {
      await press(page.getByRole('dialog'), 'Freeze API access');
      await page.getByText('Saved; takes effect within 30 seconds').waitFor();
    },
  };
}

/** Settings of an app, and its disconnection. */
async function visitApp(): Promise<Visit> {
  const owner = await signUpVerified(stage.platform);
  const { businessId } = owner;
  const { id, ...app } = await stage.platform.createApplication({ businessId, name: 'Ledgerly' });
  await connect(stage.platform, owner.browser, { id, ...app });
  const settings = `/dashboard/${businessId}/settings/developers/apps/${id}?tab=settings`;
  const { page } = await stage.enterAs(owner, settings);
  await permission(page, 'orders:read').uncheck();
  const connected = await stage.enterAs(owner, `/dashboard/${businessId}/connected`);
  await press(connected.page, 'Disconnect');
  return {
    whileDown: async () => {
      await press(page, 'Save changes');
      await toast(page, 'Takes effect within 30 seconds').waitFor();
      await press(connected.page.getByRole('dialog', { name: 'Disconnect “Ledgerly”?' }), 'Disconnect');
      await toast(connected.page, 'Takes effect within 30 seconds').waitFor();
      await connected.page.getByText('No connected apps').waitFor();
    },
  };
}

/** The deletion of a key, and the rotation of another. */
async function visitKeys(): Promise<Visit> {
  const { businessId } = ada;
  const key = await stage.platform.createKey({ ...restricted, businessId, name: 'Shop' });
  const other = await stage.platform.createKey({ ...restricted, businessId, name: 'Till' });
  const { page } = await stage.enterAs(ada, developers(`/keys/${key.id}`));
  await page.getByText('Not used in the last 24 hours').waitFor();
  return {
    whileDown: async () => {
      await press(page, 'Delete key');
      await page.getByLabel('Type Shop to confirm').fill('Shop');
      await page.keyboard.press('Enter');
      await toast(page, 'Takes effect within 30 seconds').waitFor();
      await page.goto(developers(`/keys/${other.id}`));
      await press(page, 'Rotate key');
      await press(page.getByRole('dialog'), 'Rotate key');
      const dialog = page.getByRole('dialog', { name: 'Your new key string' });
      await dialog.getByText('takes effect within 30 seconds').waitFor();
    },
  };
}

test('while Redis is down, pages say that a change takes effect within 30 seconds', async () => {
  const visits = [await visitFreeze(), await visitApp(), await visitKeys()];
  await stage.platform.redis?.stop();
  for (const { whileDown } of visits) await whileDown();
});
