import { expect, test } from '@jest/globals';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import { signUp } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const platform = running(sharedPlatform);

/** More than identity-service has connections. */
const searches = 60;

test('slow searches of the log by one business take no connection from another', async () => {
  const [ada, eve] = [await signUp(platform), await signUp(platform)];
  const [greedy, other] = [await openDashboard(ada, ada.browser), await openDashboard(eve, eve.browser)];
  const key = await platform.createKey({ businessId: eve.businessId });
  const held = await holdTable(platform.databases.identity ?? '', 'request_log');
  try {
    const sent = Array.from({ length: searches }, () => greedy.own('GET', '/requests?text=zzzz'));
    await expectEventually(async () => expect(await held.waiting('%user_agent ILIKE%')).toBeGreaterThan(0), {
      withinMs: 10_000,
    });
    const freeze = await other.own('PUT', `/api-keys/${key.id}/freeze`, { reason: 'seen in a log' });
    expect([(await other.own('GET', '/api-keys')).status, freeze.status]).toEqual([200, 200]);
    await held.release();
    await Promise.all(sent);
  } finally {
    await held.release();
  }
});
