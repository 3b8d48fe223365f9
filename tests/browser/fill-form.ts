import type { Page } from 'playwright-core';

/** Fills in fields by their labels, presses the button, and waits for the page that follows. */
export async function fillForm(
  page: Page,
  fields: Readonly<Record<string, string>>,
  button: string,
): Promise<void> {
  for (const [label, text] of Object.entries(fields)) {
    await page.getByLabel(label, { exact: true }).fill(text);
  }
  await page.getByRole('button', { name: button, exact: true }).click();
}
