import { expect, test } from '@jest/globals';
import type { Page, Response } from 'playwright-core';
import { restricted, setKeys } from './dashboard-keys.ts';
import { heading } from './locators.ts';
import { setStage } from './stage.ts';
import { passMinutes, watchRequests } from './unattended.ts';

/** A page that polls, and that the person has left open. */

const stage = setStage();
const keys = setKeys(stage);

const bell = '/dashboard-api/notices';

/** Waits for a whole response about notices: while the page waits for one it does not ask again, however much time passes. */
async function loadBell(page: Page): Promise<Response> {
  const response = await page.waitForResponse((one) => one.url().endsWith(bell));
  await response.finished();
  return response;
}

test.each(['overview', 'key'])(
  'the page %s sends no requests while it is unattended, and polls again after the next input',
  async (name) => {
    const key = await keys.make({ ...restricted, name: 'Till' });
    const { page, problems } = await keys.enter('');
    await page.clock.install();
    // Ends the requests of the page before.
    await page.goto('about:blank');
    const first = loadBell(page);
    await page.goto(name === 'key' ? keys.path(`/${key.id}`) : `/dashboard/${keys.ada.businessId}`);
    await heading(page, name === 'key' ? 'Till' : 'Overview').waitFor();
    await first;
    const asked = watchRequests(page);
    await passMinutes(page, 5);
    expect(asked).toContain(bell);
    await passMinutes(page, 10);
    asked.length = 0;
    // Longer than a session without use.
    await passMinutes(page, 35);
    expect(asked).toEqual([]);

    const again = loadBell(page);
    await page.keyboard.press('Shift');
    expect((await again).status()).toBe(200);
    asked.length = 0;
    await passMinutes(page, 3);
    expect(asked).toContain(bell);
    expect(problems).toEqual([]);
  },
);
