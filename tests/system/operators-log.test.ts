import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { adminJsonOn, adminOn } from '../harness/admin.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect } from '../harness/oauth.ts';
import { connectOperations, type Operations } from '../harness/operations.ts';
import { makeOperator, type TestOperator } from '../harness/operators.ts';
import { signUp, signUpVerified } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { running } from '../harness/running.ts';

/** The hash chain over the log of operators, on a platform of its own: its rows are broken by hand. */

const platform = running(() => startPlatform({ identities: 2 }));
let operators: readonly TestOperator[];
let operations: Operations;
beforeAll(async () => {
  operations = connectOperations({
    database: platform.databases.identity,
    redisUrl: platform.redis?.url,
    secrets: platform.secrets,
    businessTarget: platform.targets.business,
  });
  operators = [await makeOperator(platform), await makeOperator(platform)];
});

afterAll(() => operations?.close());

/** The first breach that `audit verify` would report, found in this process; empty when every row fits. */
async function findBreach(): Promise<string> {
  const { acts, verifyLog } = await operations.open();
  return verifyLog(acts.operatorLog, undefined).then(
    () => '',
    (error: Error) => error.message,
  );
}

const verify = (...args: string[]) => adminOn(platform, 'audit', 'verify', ...args);

/** Runs statements as a superuser who has taken the guards off, checks, and puts back what was there. */
async function tampered(change: string, undo: string): Promise<string> {
  const guards = ['operator_events', 'operator_chain', 'audit_events'];
  const set = (state: string) =>
    Promise.all(guards.map((table) => platform.sql(`ALTER TABLE ${table} ${state} TRIGGER USER`)));
  await set('DISABLE');
  await platform.sql(change);
  const breach = await findBreach();
  await platform.sql(undo);
  await set('ENABLE');
  expect(await findBreach()).toBe('');
  return breach;
}

test('actions at the same time on two replicas make one chain, without a gap', async () => {
  const owners = await Promise.all(Array.from({ length: 4 }, () => signUp(platform)));
  const before = await adminJsonOn(platform, 'audit', 'verify');
  const actions = owners.flatMap(({ businessId }, i) =>
    operators.map(async ({ call }, j) => {
      if (i % 2 === 0) return call('GET', `/search?text=engines-${j}`);
      return call('POST', `/businesses/${businessId}/ban`, { reason: `ban ${i} by ${j}` });
    }),
  );
  const statuses = (await Promise.all(actions)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(6);
  expect(statuses.filter((status) => status === 409)).toHaveLength(2);
  const searches = await Promise.all(
    Array.from({ length: 15 }, () => operators.map(({ call }) => call('GET', '/search?text=none'))).flat(),
  );
  expect(new Set(searches.map(({ status }) => status))).toEqual(new Set([200]));
  const after = await adminJsonOn(platform, 'audit', 'verify');
  expect(after.count).toBe(before.count + 6 + searches.length);
  const earlier = ['--count', String(before.count), '--hash', before.hash];
  expect((await verify(...earlier)).code).toBe(0);
  const forked = await verify('--count', String(before.count), '--hash', '0'.repeat(64));
  expect([forked.code, forked.err]).toEqual([1, expect.stringContaining('the log was written again')]);
});

test.each([
  ['UPDATE', "UPDATE operator_events SET content = 'x'"],
  ['DELETE', 'DELETE FROM operator_events'],
  ['TRUNCATE', 'TRUNCATE operator_events'],
  ['UPDATE of the chain', 'UPDATE operator_chain SET position = position + 1000'],
  ['DELETE of the chain', 'DELETE FROM operator_chain'],
])('%s on the log of operators is refused', async (_, statement) => {
  await expect(platform.sql(statement)).rejects.toThrow('append-only');
});

test('a changed text is named by its row', async () => {
  const [row] = await platform.sql<{ position: string; event_id: string; content: string }>(
    'SELECT position, event_id, content FROM operator_chain JOIN operator_events ON id = event_id ORDER BY position OFFSET 3 LIMIT 1',
  );
  const of = `FROM operator_chain c WHERE c.event_id = e.id AND c.position = ${row?.position}`;
  for (const content of [`replace(content, 'operator', 'somebody')`, `'no JSON'`]) {
    const err = await tampered(
      `UPDATE operator_events e SET content = ${content} ${of}`,
      `UPDATE operator_events e SET content = '${row?.content.replaceAll("'", "''")}' ${of}`,
    );
    expect(err).toContain(
      `Row ${row?.position} (event ${row?.event_id}): its content does not fit its hash.`,
    );
  }
});

test('a changed time, a missing row and a missing event are reported', async () => {
  const moved = (by: string) =>
    `UPDATE operator_events SET at = at ${by} WHERE id = (SELECT event_id FROM operator_chain WHERE position = 5)`;
  expect(await tampered(moved("+ interval '1 ms'"), moved("- interval '1 ms'"))).toContain('Row 5 ');
  await platform.sql('CREATE TABLE kept AS SELECT * FROM operator_chain WHERE position = 6');
  await platform.sql(
    'CREATE TABLE kept_event AS SELECT * FROM operator_events WHERE id = (SELECT event_id FROM kept)',
  );
  expect(
    await tampered(
      'DELETE FROM operator_chain WHERE position = 6',
      'INSERT INTO operator_chain SELECT * FROM kept',
    ),
  ).toContain('Row 6 is missing: 7 follows.');
  expect(
    await tampered(
      'DELETE FROM operator_events WHERE id IN (SELECT id FROM kept_event)',
      'INSERT INTO operator_events SELECT * FROM kept_event',
    ),
  ).toContain('Row 6 (event');
});

test('a changed row of the audit log of a business is reported', async () => {
  const which = "id = (SELECT max(id) FROM audit_events WHERE action = 'business.banned')";
  await platform.sql(`CREATE TABLE kept_details AS SELECT details FROM audit_events WHERE ${which}`);
  const err = await tampered(
    `UPDATE audit_events SET details = '{"reason": "nicer"}' WHERE ${which}`,
    `UPDATE audit_events SET details = (SELECT details FROM kept_details) WHERE ${which}`,
  );
  expect(err).toMatch(/Row \d+ \(event \d+\): audit event \d+ of business \d+ was changed\./);
});

test.each([
  ['time', "at = at + interval '1 ms'", "at = at - interval '1 ms'"],
  ['actor kind', "actor_kind = 'person'", "actor_kind = 'operator'"],
  ['address', "client_ip = '192.0.2.1'", 'client_ip = NULL'],
  ['request ID', "request_id = request_id || 'x'", 'request_id = left(request_id, -1)'],
])('an audit event with a changed %s is reported', async (_, change, undo) => {
  const which = "id = (SELECT max(id) FROM audit_events WHERE action = 'business.banned')";
  const by = (set: string) => `UPDATE audit_events SET ${set} WHERE ${which}`;
  expect(await tampered(by(change), by(undo))).toMatch(/audit event \d+ of business \d+ was changed\./);
});

test('an operator event without a recorded action is reported, and a copy of a recorded one is not', async () => {
  const fields = 'business_id, actor_kind, actor_id, request_id, action, subject_id, details';
  const err = await tampered(
    `INSERT INTO audit_events (${fields}) VALUES (1, 'operator', 'root', 'made-up', 'business.verified', '1', '{}')`,
    "DELETE FROM audit_events WHERE request_id = 'made-up'",
  );
  expect(err).toMatch(/Audit event \d+ of business 1 is of an operator, and no row explains it\./);
  const owner = await signUpVerified(platform);
  const app = await platform.createApplication({
    businessId: await platform.createVerifiedBusiness('maker'),
  });
  await connect(platform, owner.browser, app);
  await platform.suspendApplication(app);
  expect(await findBreach()).toBe('');
});

test('the search for such events reads no events of people', async () => {
  await platform.sql(`
    INSERT INTO audit_events (business_id, actor_kind, actor_id, request_id, action, subject_id, details)
    SELECT 1, 'person', 'per_1', 'made-up', 'api_key.created', 'key_1', '{}' FROM generate_series(1, 20000)`);
  await platform.sql('ANALYZE audit_events');
  const scans = async () =>
    (
      await platform.sql<{ scans: number }>(
        "SELECT idx_scan::int AS scans FROM pg_stat_user_indexes WHERE indexrelname = 'audit_events_operators'",
      )
    )[0]?.scans;
  const before = await scans();
  expect(await findBreach()).toBe('');
  await expectEventually(async () => expect(await scans()).toBeGreaterThan(before ?? Infinity), {
    withinMs: 15_000,
  });
});

test('rows cut off the end are detected with the count and hash of an earlier verification', async () => {
  // An action of a business would leave its audit event behind.
  for (const { call } of operators) expect((await call('GET', '/search?text=none')).status).toBe(200);
  const { count, hash } = await adminJsonOn(platform, 'audit', 'verify');
  await platform.sql('CREATE TABLE cut AS SELECT * FROM operator_chain ORDER BY position DESC LIMIT 2');
  await platform.sql(
    'CREATE TABLE cut_events AS SELECT * FROM operator_events WHERE id IN (SELECT event_id FROM cut)',
  );
  for (const table of ['operator_events', 'operator_chain'])
    await platform.sql(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  await platform.sql('DELETE FROM operator_chain WHERE position IN (SELECT position FROM cut)');
  expect(await findBreach()).toMatch(/Event \d+ is in no row\./);
  await platform.sql('DELETE FROM operator_events WHERE id IN (SELECT id FROM cut_events)');
  expect(await findBreach()).toBe('');
  const { code, err } = await verify('--count', String(count), '--hash', hash);
  expect([code, err]).toEqual([1, expect.stringContaining(`Row ${count - 1} is missing`)]);
});
