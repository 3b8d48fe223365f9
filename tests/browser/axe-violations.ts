import { readFileSync } from 'node:fs';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expectEventually } from '../harness/expect-eventually.ts';

const source = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/** Violations that axe-core finds in a page, with impact and place. */
export async function axeViolations(page: Page, rules: 'all' | 'contrast' = 'all'): Promise<string[]> {
  await awaitRest(page);
  // Through the debugger: the page's Content-Security-Policy allows no other script.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(source);
  const options = JSON.stringify({
    resultTypes: ['violations'],
    ...(rules === 'contrast' && { runOnly: ['color-contrast'] }),
  });
  const { violations: found }: axe.AxeResults = await page.evaluate(`axe.run(${options})`);
  return found.map(
    ({ id, impact, nodes }) => `${impact}: ${id} at ${nodes.map(({ html }) => html).join(', ')}`,
  );
}

/** Animations and transitions that will end. A newly rendered element starts them with the next frame. */
const running = `
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
    document.getAnimations()
      .filter(({ playState, effect }) =>
        playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime))
      .length)`;

/** Resolves when the page is there, and its animations have ended: colours differ while they run. */
async function awaitRest(page: Page): Promise<void> {
  // A click waits for the beginning of the page that it leads to.
  await page.waitForLoadState();
  await expectEventually(
    async () => {
      const count = Number(await page.evaluate(running));
      if (count > 0) throw new Error(`${count} animations of the page are still running.`);
    },
    { withinMs: 5_000 },
  );
}
