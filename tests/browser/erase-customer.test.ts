import { expect, test } from '@jest/globals';
import { orderBody } from '../harness/business-platform.ts';
import { erasedCustomer } from '../harness/erasure.ts';
import { joinBusiness, signUp, signUpVerified } from '../harness/people.ts';
import { axeViolations } from './axe-violations.ts';
import { press, region } from './locators.ts';
import { phone, widthOf } from './screens.ts';
import { setStage } from './stage.ts';

/** The erasure of a customer, in the settings of the business. */

const stage = setStage();

const title = 'Erase a customer';

test('an owner erases a customer after typing the address, and reads how much it was', async () => {
  const ada = await signUpVerified(stage.platform);
  const { keyString: key } = await stage.platform.createKey({ businessId: ada.businessId });
  const made = await stage.platform.request(0, 'POST', '/v2/order', { key, body: orderBody });
  const settings = `/dashboard/${ada.businessId}/settings/business`;
  const { page, problems } = await stage.enterAs(ada, settings, { viewport: phone });
  const panel = region(page, title);
  const address = panel.getByRole('textbox', { name: 'Email address of the customer' });

  await press(panel, 'Erase customer');
  await panel.getByText('Enter an email address.').waitFor();
  await address.fill('ada');
  await press(panel, 'Erase customer');
  const dialog = page.getByRole('dialog', { name: 'Erase this customer?' });
  await dialog.getByRole('textbox').fill('ada');
  await press(dialog, 'Erase customer');
  await panel.getByText('Must be an email address.').waitFor();

  await address.fill('ADA@example.com');
  await press(panel, 'Erase customer');
  const confirm = dialog.getByRole('button', { name: 'Erase customer' });
  expect(await confirm.isDisabled()).toBe(true);
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('textbox').fill('ADA@example.com');
  await confirm.click();
  await panel.getByText('Erased from 1 order and 1 event.').waitFor();
  expect(await widthOf(page)).toBeLessThanOrEqual(phone.width);
  expect(await axeViolations(page)).toEqual([]);
  const order = await stage.platform.request(0, 'GET', String(made.headers.location), { key });
  expect(order.json()).toMatchObject({ customer: erasedCustomer, metadata: {} });
  expect(problems).toEqual([]);
});

test('a developer is not offered to erase customers', async () => {
  const [ada, bob] = await Promise.all([signUp(stage.platform), signUp(stage.platform)]);
  await joinBusiness(stage.platform, bob, ada.businessId, 'developer');
  const { page } = await stage.enterAs(bob, `/dashboard/${ada.businessId}/settings/business`);
  await region(page, 'Leaked API keys').waitFor();
  expect(await region(page, title).count()).toBe(0);
});
