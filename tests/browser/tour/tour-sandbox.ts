import type { TestPerson } from '../../harness/people.ts';
import type { Tour } from './tour.ts';

/** A sandbox from its creation to the question whether it should end. */
export async function tourSandbox(
  { platform, page, look }: Tour,
  _businessId: number,
  owner: TestPerson,
): Promise<void> {
  await page.goto('/dashboard/new-business');
  await page.getByRole('button', { name: 'Create a sandbox' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sandbox' }).waitFor();
  await page.getByRole('button', { name: 'Ten orders, one a minute' }).click();
  await page.getByText('more orders to come').waitFor();
  // Unused for so long that a round leaves the warning as it is.
  await platform.sql(
    `UPDATE sandboxes SET warned_at = now(), created_at = now() - interval '77 days', orders_due = 0
     WHERE person_id = $1`,
    [owner.id],
  );
  await page.reload();
  await page.getByText('No API request has come for weeks').waitFor();
  await look('sandbox');
  await page.getByRole('button', { name: 'Delete all orders' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await look('sandbox-reset');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'End this sandbox' }).click();
  await dialog.waitFor();
  await look('sandbox-end');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Switch business' }).click();
  await page.getByRole('menuitemradio', { name: 'Sandbox for tests' }).waitFor();
  await look('sandbox-switcher');
}
