import type { Tour } from './tour.ts';

const guides = ['first-call', 'oauth', 'browser', 'errors', 'limits', 'key-hygiene'];

/** Every page of the documentation, and the reference while it is used. */
export async function takeDocsTour(tour: Tour): Promise<void> {
  const { page, look } = tour;
  await page.goto('/docs');
  await look('docs');
  for (const guide of guides) {
    await page.goto(`/docs/${guide}`);
    await look(`docs-${guide}`);
  }
  await tourReference(tour);
}

async function tourReference({ platform, page, look }: Tour): Promise<void> {
  const { keyString } = await platform.createKey();
  await page.goto('/docs/reference');
  const block = page.locator('#operations-Orders-createOrder');
  await block.waitFor();
  await look('docs-reference');
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  const dialog = page.locator('.modal-ux');
  await dialog.getByRole('textbox').fill(keyString);
  await look('docs-reference-key');
  await dialog.getByRole('button', { name: 'Authorize' }).click();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await block.locator('.opblock-summary-control').click();
  await block.locator('.responses-table').waitFor();
  await look('docs-reference-operation');
  await block.getByRole('button', { name: 'Try it out' }).click();
  await block.getByRole('button', { name: 'Execute' }).click();
  await block.locator('.live-responses-table .response').waitFor();
  await look('docs-reference-response');
}
