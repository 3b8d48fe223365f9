import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { createBrowser } from '../harness/browser.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { type NpmStart, npmStart } from '../harness/npm-start.ts';
import { runDirectory } from '../harness/run-directory.ts';

/* npm start after the demo data was changed in the dashboard. */

// Each start takes half a minute beside other tests.
jest.setTimeout(300_000);

interface Demo {
  readonly baseUrl: string;
  readonly business: { readonly id: number; readonly uniqueId: string; readonly username: string };
  readonly login: { readonly email: string; readonly password: string };
}

const directory = join(runDirectory().newDirectory('local'), '.local');
const readDemo = (): Demo => JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8'));

let start: NpmStart;
const end = async () => {
  start.ctrlC();
  await start.exited;
};
const begin = async () => {
  start = await npmStart(directory);
  await start.untilReady();
};
beforeAll(begin);
afterAll(end);

/** A browser that is logged in, and the dashboard in it. */
async function logIn({ email, password }: Demo['login']) {
  const { baseUrl, business } = readDemo();
  const browser = createBrowser(Number(new URL(baseUrl).port), { headers: { Connection: 'close' } });
  await browser.open('/login');
  expect((await browser.submit('/login', { email, password })).status).toBe(303);
  return { dashboard: await openDashboard({ businessId: business.id }, browser) };
}

test('npm start takes up a demo business that was renamed', async () => {
  const { business, login } = readDemo();
  const { dashboard } = await logIn(login);
  expect(await dashboard.own('PATCH', '', { username: 'renamed-demo' })).toMatchObject({ status: 200 });
  await end();
  await begin();
  expect(readDemo()).toMatchObject({ business: { ...business, username: 'renamed-demo' }, login });
});
