import { startWebhookReceiver } from '../../harness/webhook-receiver.ts';
import { button } from '../locators.ts';
import { fail } from './fail.ts';
import type { Tour } from './tour.ts';

/** Webhooks of a business: its endpoints, their secret, and a delivery that failed and succeeded. */
export async function tourWebhooks({ page, look }: Tour, businessId: number): Promise<void> {
  const path = `/dashboard/${businessId}/settings/developers/webhooks`;
  const dialog = page.getByRole('dialog');
  const receiver = await startWebhookReceiver();
  const choose = async (action: string) => {
    await page.getByRole('button', { name: `Actions for ${receiver.url}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
    await dialog.waitFor();
  };
  const close = async () => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };
  await page.goto(path);
  await page.getByText('No endpoint yet').waitFor();
  await look('webhooks-none');
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await dialog.getByLabel('URL').fill('https://10.0.0.1/hook');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByText('The address is not public.').waitFor();
  await look('webhooks-refused');
  await dialog.getByLabel('URL').fill(receiver.url);
  await dialog.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('dialog', { name: 'Signing secret' }).waitFor();
  await look('webhooks-secret');
  await close();
  receiver.respond(() => 500);
  for (const action of ['Edit', 'Show the secret', 'Rotate the secret', 'Recover deliveries', 'Delete']) {
    await choose(action);
    await look(`webhooks-${action.toLowerCase().replaceAll(' ', '-')}`);
    await close();
  }
  await choose('Send a test event');
  await look('webhooks-test-event');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('button', { name: 'order.paid' }).click();
  await dialog.getByText('500').first().waitFor();
  await look('webhooks-failed-delivery');
  receiver.respond(() => 204);
  await dialog.getByRole('button', { name: 'Resend' }).click();
  await dialog.getByText('Delivered').waitFor();
  // The attempt may be there before the change has ended, and until then the dialog stays.
  await button(dialog, 'Close').and(page.locator(':enabled')).waitFor();
  await close();
  await look('webhooks-deliveries');
  receiver.respond(() => 410);
  await choose('Send a test event');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Skipped').first().waitFor();
  await look('webhooks-disabled');
  receiver.respond(() => 204);
  await page.getByRole('button', { name: 'Enable', exact: true }).click();
  await dialog.getByRole('combobox', { name: 'Since' }).waitFor();
  await look('webhooks-recover-missed');
  await dialog.getByRole('button', { name: 'Recover' }).click();
  await page.getByText('1 of 1 delivery sent again').waitFor();
  await look('webhooks-recovered');
  await fail(page, '**/webhook-endpoints');
  await page.goto(path);
  await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  await look('webhooks-not-loaded');
  await page.unroute('**/webhook-endpoints');
  await receiver.close();
}
