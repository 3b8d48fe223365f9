import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { expect, test } from '@jest/globals';
import { adminJsonOn, adminOn } from '../harness/admin.ts';
import { eventsOf } from '../harness/audit-events.ts';
import { failWrites } from '../harness/fail-writes.ts';
import { startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';

/* What an operator does in the shell is in the audit log of the business and in the log of operators. */

const platform = running(() => startPlatform({ gateways: 0 }));

const { username: login } = userInfo();

/** Actions in the log of operators about a business, oldest first. */
async function actionsOf(businessId: number): Promise<readonly unknown[]> {
  const rows = await platform.sql<{ content: string }>('SELECT content FROM operator_events ORDER BY id');
  return rows
    .map(({ content }) => JSON.parse(content))
    .filter((action) => action.businessId === businessId)
    .map(({ action, operator, details }) => [action, operator, details]);
}

const create = (username: string) => [
  'business',
  'create',
  '--account-holder',
  'Acme',
  '--username',
  username,
];

test('a business is created, verified, banned and unbanned, and each action names operator and reason', async () => {
  const { id } = await adminJsonOn(platform, ...create('actions'));
  const which = ['--business', String(id)];
  const facts = ['--legal-name', 'Acme Limited', '--registration-number', 'HRB 1', '--country', 'DE'];
  await adminJsonOn(platform, 'business', 'verify', ...which, ...facts);
  await adminJsonOn(platform, 'business', 'ban', ...which, '--reason', 'fraud');
  await adminJsonOn(platform, 'business', 'unban', ...which, '--reason', 'a mistake');
  expect(await actionsOf(id)).toEqual([
    ['business.created', login, { accountHolder: 'Acme', username: 'actions' }],
    [
      'business.verification_submitted',
      login,
      { legalName: 'Acme Limited', registrationNumber: 'HRB 1', country: 'DE' },
    ],
    ['business.verified', login, {}],
    ['business.banned', login, { reason: 'fraud' }],
    ['business.unbanned', login, { reason: 'a mistake' }],
  ]);
  expect((await eventsOf(platform, String(id))).map(({ action, actor_id }) => [action, actor_id])).toEqual([
    ['business.created', login],
    ['business.verification_submitted', login],
    ['business.verified', login],
    ['business.banned', login],
    ['business.unbanned', login],
  ]);
  expect((await adminOn(platform, 'audit', 'verify')).code).toBe(0);
});

test('a second ban, a ban without a reason, and a verification with facts that were decided are refused', async () => {
  const { id } = await adminJsonOn(platform, ...create('refused'));
  const which = ['--business', String(id)];
  const facts = ['--legal-name', 'Acme Limited', '--registration-number', 'HRB 2', '--country', 'DE'];
  await adminJsonOn(platform, 'business', 'verify', ...which, ...facts);
  await adminJsonOn(platform, 'business', 'ban', ...which, '--reason', 'fraud');
  for (const [args, code, text] of [
    [['ban', ...which, '--reason', 'spam'], 1, 'the business is already banned'],
    [['ban', ...which], 2, "required option '--reason <text>' not specified"],
    [['ban', ...which, '--reason', ' '], 1, 'reason'],
    [['ban', '--business', '999999999', '--reason', 'fraud'], 1, 'no such business'],
    [['verify', ...which, ...facts], 1, 'leave them out'],
  ] as const) {
    const run = await adminOn(platform, 'business', ...args);
    expect([run.code, run.err]).toEqual([code, expect.stringContaining(text)]);
  }
  expect(await actionsOf(id)).toHaveLength(4);
});

test('a creation whose record failed can be repeated, with the same business and one recorded action', async () => {
  const restore = await failWrites(platform.databases.identity, 'operator_events', '53100');
  const failed = await adminOn(platform, ...create('interrupted'));
  expect([failed.code, failed.out]).toEqual([1, '']);
  await restore();
  const [made] = await query<{ id: number }>(
    platform.databases.business,
    "SELECT id::int AS id FROM businesses WHERE username = 'interrupted'",
  );
  const { id } = await adminJsonOn(platform, ...create('interrupted'));
  expect(id).toBe(made?.id);
  expect(await actionsOf(id)).toHaveLength(1);
  const again = await adminOn(platform, ...create('interrupted'));
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('the username is taken')]);
  expect(await actionsOf(id)).toHaveLength(1);
});

test('a request of any business is explained as its dashboard does, and that it was read is in the log of operators', async () => {
  const { id: businessId } = await adminJsonOn(platform, ...create('explained'));
  const requestId = randomUUID();
  await platform.sql(
    `INSERT INTO request_log (id, at, business_id, method, path, route, status, refusal, client_ip, credential_type,
       credential_id, limit_id, required_scope, duration_ms, response_bytes, user_agent)
     VALUES ($1, clock_timestamp(), $2, 'POST', '/v2/order', '/v2/order', 403, 'insufficient_scope', '192.0.2.1',
       'restricted_key', 'key_1', 'key_1', 'orders:write', 5, 40, 'till/2')`,
    [requestId, businessId],
  );
  const { out } = await adminOn(platform, 'explain', requestId.toUpperCase());
  expect(out).toMatch(/^title +Scope orders:write is missing$/m);
  expect(out).toMatch(/^reason +insufficient_scope$/m);
  expect(out).toMatch(/^problem +The key does not have the scope orders:write\.$/m);
  expect(out).toMatch(/^advice +Add the scope to the key/m);
  expect(out).toMatch(/^found +ok +It exists$/m);
  expect(out).toMatch(/^scope +FAILED +It has the scope orders:write$/m);
  expect(out).toMatch(/^upstream +not reached /m);
  expect(await adminJsonOn(platform, 'explain', requestId)).toMatchObject({
    id: requestId,
    businessId,
    reason: 'insufficient_scope',
    explanation: { help: '/docs/errors#insufficient_scope' },
  });
  const viewed = ['request.viewed', login, {}];
  expect((await actionsOf(businessId)).slice(1)).toEqual([viewed, viewed]);
});

test.each(['0a0a0a0a-0000-4000-8000-000000000000', 'yesterday'])(
  'no request is found by the id %s',
  async (id) => {
    const run = await adminOn(platform, 'explain', id);
    expect([run.code, run.out, run.err]).toEqual([1, '', 'error: no request with this id\n']);
  },
);
