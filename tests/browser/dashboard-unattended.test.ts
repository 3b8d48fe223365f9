import { expect, test } from '@jest/globals';
import { restricted, setKeys } from './dashboard-keys.ts';
import { heading } from './locators.ts';
import { setStage } from './stage.ts';
import { passMinutes, watchRequests } from './unattended.ts';

/** A page that polls, and that the person has left open. */

const stage = setStage();
const keys = setKeys(stage);

const bell = '/dashboard-api/notices';

test.each(['overview', 'key'])(
  'the page %s sends nothing while it is left open, and polls again from the next act on',
  async (name) => {
    const key = await keys.make({ ...restricted, name: 'Till' });
    const { page, problems } = await keys.enter('');
    await page.clock.install();
    await page.goto(name === 'key' ? keys.path(`/${key.id}`) : `/dashboard/${keys.ada.businessId}`);
    await heading(page, name === 'key' ? 'Till' : 'Overview').waitFor();
    const asked = watchRequests(page);
    await passMinutes(page, 5);
    expect(asked).toContain(bell);
    await passMinutes(page, 10);
    asked.length = 0;
    // Longer than a session without use.
    await passMinutes(page, 35);
    expect(asked).toEqual([]);

    const again = page.waitForResponse((response) => response.url().endsWith(bell));
    await page.keyboard.press('Shift');
    expect((await again).status()).toBe(200);
    asked.length = 0;
    await passMinutes(page, 3);
    expect(asked).toContain(bell);
    expect(problems).toEqual([]);
  },
);
