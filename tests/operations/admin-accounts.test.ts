import { beforeAll, expect, test } from '@jest/globals';
import { adminJsonOn, adminOn } from '../harness/admin.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/* npm run admin -- business team|freeze|unfreeze, and audit list: what an operator asks while an owner waits on the phone. */

const platform = running(sharedPlatform);
let owner: TestPerson;
let business: readonly string[];
beforeAll(async () => {
  owner = await signUpVerified(platform);
  business = ['--business', String(owner.businessId)];
});

const unknown = ['--business', '999999999'];
const statuses = (key: string) =>
  Promise.all(
    platform.gatewayPorts.map(async (_, gateway) => {
      const { status } = await platform.request(gateway, 'GET', '/v2/order', { key });
      return status;
    }),
  );

test('business team shows what an operator needs, and no secret', async () => {
  expect(await adminJsonOn(platform, 'business', 'team', ...business)).toEqual({
    members: [
      {
        personId: owner.id,
        name: owner.name,
        email: owner.email,
        role: 'owner',
        hasSecondFactor: false,
        joinedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        lastSeenAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ],
    secondFactorRequiredAt: null,
  });
  const { out } = await adminOn(platform, 'business', 'team', ...business);
  expect(out).toMatch(/^ID +NAME +EMAIL +ROLE +SECOND FACTOR +JOINED +LAST SEEN\n/);
  expect(out).toMatch(/\nSecond factor: not required\.\n$/);
  const text = 'INSERT INTO second_factor_requirements (business_id, person_id) VALUES ($1, $2)';
  await platform.sql(text, [owner.businessId, owner.id]);
  expect((await adminOn(platform, 'business', 'team', ...business)).out).toMatch(
    /\nSecond factor: required since \d{4}-.*Z\.\n$/,
  );
  await platform.sql('DELETE FROM second_factor_requirements WHERE business_id = $1', [owner.businessId]);
});

test('a freeze takes effect at once on every gateway, shows its reason to the team, and can be lifted by both sides', async () => {
  const { keyString } = await platform.createKey({ businessId: owner.businessId });
  expect(await statuses(keyString)).toEqual([200, 200]);
  const reason = 'Asked for by phone';
  expect(await adminJsonOn(platform, 'business', 'freeze', ...business, '--reason', reason)).toEqual({
    id: owner.businessId,
    frozen: true,
    propagation: 'confirmed',
  });
  const again = await adminOn(platform, 'business', 'freeze', ...business);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('already frozen')]);
  expect(await statuses(keyString)).toEqual([403, 403]);
  const dashboard = await openDashboard(owner, owner.browser);
  expect((await dashboard.own('GET', '/freeze')).json()).toEqual({
    freeze: { frozenAt: expect.any(String), reason, frozenBy: null },
  });
  expect((await dashboard.own('DELETE', '/freeze')).status).toBe(200);
  expect(await statuses(keyString)).toEqual([200, 200]);

  const put = await dashboard.own('PUT', '/freeze', { reason: 'Leaked' });
  expect(put.json()).toMatchObject({ freeze: { frozenBy: { name: owner.name } } });
  expect((await adminOn(platform, 'business', 'unfreeze', ...business)).out).toBe(
    `Business ${owner.businessId} is not frozen.\n`,
  );
  expect(await statuses(keyString)).toEqual([200, 200]);
});

interface Page {
  readonly events: readonly { readonly id: string; readonly action: string; readonly actorKind: string }[];
  readonly nextBefore: string | null;
}
const audit = async (...args: string[]): Promise<Page> =>
  (await adminJsonOn(platform, 'audit', 'list', ...business, ...args)) as unknown as Page;

test('audit list shows events newest first, by action and in pages', async () => {
  const { events } = await audit('--action', 'business.*');
  const freezes = events.filter(({ action }) => action.includes('frozen'));
  expect(freezes.map(({ action, actorKind }) => [action, actorKind])).toEqual([
    ['business.unfrozen', 'operator'],
    ['business.frozen', 'person'],
    ['business.unfrozen', 'person'],
    ['business.frozen', 'operator'],
  ]);
  const first = await audit('--action', 'business.*', '--limit', '3');
  const rest = await audit('--action', 'business.*', '--before', first.nextBefore ?? '');
  expect([...first.events, ...rest.events]).toEqual(events);
  expect(rest.nextBefore).toBeNull();
  expect((await audit('--since', '2100-01-01T00:00:00Z')).events).toEqual([]);
  const { out } = await adminOn(platform, 'audit', 'list', ...business, '--action', 'business.frozen');
  expect(out).toMatch(/business\.frozen .* operator .*"reason":"Asked for by phone"/);
});

test.each([
  [['business', 'team', ...unknown], 1, 'there is no business 999999999'],
  [['business', 'freeze', ...unknown], 1, 'there is no business 999999999'],
  [['business', 'unfreeze', ...unknown], 1, 'there is no business 999999999'],
  [['audit', 'list', ...unknown], 1, 'there is no business 999999999'],
  [['audit', 'list', '--business', '1', '--action', 'robert; drop'], 1, 'must be an action'],
  [['audit', 'list', '--business', '1', '--before', 'x'], 1, 'must be next_before'],
  [['audit', 'list', '--business', '1', '--limit', '501'], 1, 'limit'],
  [['audit', 'list', '--business', '1', '--since', 'noon'], 2, '--since must be'],
])('the command %j says what is wrong', async (args, code, message) => {
  const result = await adminOn(platform, ...args);
  expect([result.code, result.err]).toEqual([code, expect.stringContaining(message)]);
});
