import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe-core finds wrong with a page, how bad it is, and where; `rules` are all where absent. */
export async function violations(page: Page, ...rules: readonly string[]): Promise<string[]> {
  // As a debugger does it: the page's own policy lets nothing in.
  await page.evaluate(axe.source);
  const options = JSON.stringify({
    resultTypes: ['violations'],
    ...(rules.length > 0 && { runOnly: rules }),
  });
  const { violations: found }: axe.AxeResults = await page.evaluate(`axe.run(${options})`);
  return found.map(
    ({ id, impact, nodes }) => `${impact}: ${id} at ${nodes.map(({ html }) => html).join(', ')}`,
  );
}
