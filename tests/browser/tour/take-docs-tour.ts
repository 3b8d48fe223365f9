import type { Tour } from './tour.ts';

const guides = ['first-call', 'oauth', 'webhooks', 'browser', 'errors', 'limits', 'key-hygiene'];

/** Every page of the documentation, its search, and the reference while it is used. */
export async function takeDocsTour(tour: Tour): Promise<void> {
  const { page, look } = tour;
  await page.goto('/docs');
  await look('docs');
  for (const guide of guides) {
    await page.goto(`/docs/${guide}`);
    await look(`docs-${guide}`);
  }
  await page.getByRole('searchbox').fill('idempotency');
  await page.locator('.hit').first().waitFor();
  await look('docs-search');
  await tourReference(tour);
}

async function tourReference({ platform, page, look }: Tour): Promise<void> {
  const { keyString } = await platform.createKey();
  await page.goto('/docs/reference');
  await look('docs-reference');
  const operation = page.locator('article', { has: page.locator('[id="/Orders/createOrder"]') });
  await operation.getByText('Try it').click();
  await operation.getByLabel('API key').fill(keyString);
  await operation.getByRole('button', { name: 'Send' }).click();
  await operation.locator('.output .body').waitFor();
  await look('docs-reference-response');
}
