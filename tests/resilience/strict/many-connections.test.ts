import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { webhookSubscriptionService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import type { TestApplication } from '../../harness/applications.ts';
import { expectEventually } from '../../harness/expect-eventually.ts';
import { holdLocks } from '../../harness/hold-table.ts';
import { call, scaledLimits } from '../../harness/patience.ts';
import { signUpVerified, type TestPerson } from '../../harness/people.ts';
import { startPlatform } from '../../harness/platform.ts';
import { openClient } from '../../harness/postgres.ts';
import { running } from '../../harness/running.ts';

/** Changes of an application that thousands of businesses are connected to, within the time limit of one transaction. */

const connections = 3_000;

// A transaction may take two seconds, as in production: there that is the least, whatever a wait for a connection may take.
const platform = running(() => startPlatform({ identityEnv: scaledLimits({ DATABASE_WAIT_MS: 2_000 }) }));
let publisher: TestPerson;
let owner: TestPerson;
beforeAll(async () => {
  [publisher, owner] = await Promise.all([signUpVerified(platform), signUpVerified(platform)]);
});

/** Businesses from 1,000,001 on, of one owner. */
async function connectMany(application: TestApplication) {
  await platform.sql(
    `INSERT INTO grants (id, application_id, business_id, person_id, scopes)
     SELECT 'grt_' || md5($1 || n), $1, 1000000 + n, $2, '{orders:read}' FROM generate_series(1, $3::int) AS n`,
    [application.id, owner.id, connections],
  );
  await platform.sql(
    `INSERT INTO memberships (person_id, business_id, role)
     SELECT $1, 1000000 + n, 'owner' FROM generate_series(1, $2::int) AS n ON CONFLICT DO NOTHING`,
    [owner.id, connections],
  );
  // In one email a day: to write nine thousand is no part of this.
  await platform.sql(`UPDATE people SET daily_topics = '{connections,access}' WHERE id = $1`, [owner.id]);
}

let application: TestApplication;
beforeEach(async () => {
  application = await platform.createApplication({ businessId: publisher.businessId });
  await connectMany(application);
});

/** Rows about the connected businesses since the last call that recorded them. */
const count = async (from: string, values: unknown[] = []) => {
  const [row] = await platform.sql<{ count: number }>(
    `SELECT count(DISTINCT business_id)::int AS count FROM ${from}`,
    values,
  );
  return row?.count;
};
const ofConnected = 'business_id > 1000000 AND subject_id = $1 AND action = $2';
const audited = (action: string) => count(`audit_events WHERE ${ofConnected}`, [application.id, action]);
const noticed = (action: string) => count(`notices WHERE ${ofConnected}`, [application.id, action]);
const generationsAbove = (least: number) =>
  count('credential_generations WHERE business_id > 1000000 AND generation > $1', [least]);
const lowestGeneration = async () => {
  const [row] = await platform.sql<{ lowest: number | null }>(
    'SELECT min(generation)::int AS lowest FROM credential_generations WHERE business_id > 1000000',
  );
  return row?.lowest ?? 1;
};
const expectPublished = () =>
  expectEventually(
    async () => expect(await count('credential_generations WHERE propagated < generation')).toBe(0),
    { withinMs: 30_000 },
  );

test('an application is suspended, resumed, rotated and deleted, and every connected business is notified', async () => {
  const suspend = () => platform.suspendApplication(application);
  // On a busy machine Redis may need longer for 3,000 businesses than the second that a response waits.
  await expectEventually(async () => expect((await suspend()).propagation).toBe('confirmed'), {
    withinMs: 30_000,
  });
  expect([await audited('application.suspended'), await noticed('application.suspended')]).toEqual([
    connections,
    connections,
  ]);
  await platform.resumeApplication(application);
  expect([await audited('application.resumed'), await noticed('application.resumed')]).toEqual([
    connections,
    connections,
  ]);
  const before = await lowestGeneration();
  await platform.rotateClientSecret(application);
  expect(await generationsAbove(before)).toBe(connections);
  await platform.deleteApplication(application);
  expect(await audited('application.deleted')).toBe(connections);
  expect(await generationsAbove(before + 1)).toBe(connections);
  await expectPublished();
});

test('a failed deletion ends the connections before its failure, and a repeated one ends the rest', async () => {
  const ofApplication = 'grants WHERE application_id = $1';
  const live = () => count(`${ofApplication} AND ended_at IS NULL`, [application.id]);
  const [last] = await platform.sql<{ business_id: string }>(
    `SELECT business_id FROM ${ofApplication} ORDER BY id DESC LIMIT 1`,
    [application.id],
  );
  const held = await holdLocks(
    platform.databases.identity,
    `INSERT INTO credential_generations (business_id, generation, propagated) VALUES ($1, 2, 1)
     ON CONFLICT (business_id) DO UPDATE SET generation = credential_generations.generation`,
    [last?.business_id],
  );
  const remove = () => platform.deleteApplication(application);
  try {
    await expect(remove()).rejects.toMatchObject({ kind: 'unavailable' });
  } finally {
    await held.release();
  }
  const left = Number(await live());
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(connections);
  expect(await audited('application.deleted')).toBe(connections - left);
  // Its endpoints stay for the businesses that are left.
  const subscriptions = createGrpcClient(webhookSubscriptionService, {
    target: platform.targets.identity,
    tls: { kind: 'plain' },
  });
  const deleted = () => subscriptions.rpc.FindDeletedApplications({ applicationIds: [application.id] }, call);
  expect(await deleted()).toEqual({ applicationIds: [] });
  await remove();
  expect(await deleted()).toEqual({ applicationIds: [application.id] });
  await subscriptions.close();
  expect(await audited('application.deleted')).toBe(connections);
  const events = await platform.sql('SELECT 1 FROM audit_events WHERE subject_id = $1 AND action = $2', [
    application.id,
    'application.deleted',
  ]);
  expect(events).toHaveLength(connections + 1);
  await expectPublished();
});

test('a month of refresh tokens holds up no deletion, and is left to the purge', async () => {
  await platform.sql(
    `INSERT INTO refresh_tokens (token_hash, grant_id, expires_at, used_at)
     SELECT sha256(($1 || n)::bytea), 'grt_' || md5($1 || 1), now() + interval '10 days', now() - n * interval '20 seconds'
     FROM generate_series(1, 130000) AS n`,
    [application.id],
  );
  await platform.deleteApplication(application);
  const { businessId } = publisher;
  const applications = await platform.listApplications(businessId);
  expect(applications.map(({ id }) => id)).not.toContain(application.id);
  const grants = await platform.listGrants(1_000_001);
  expect(grants.map(({ applicationId }) => applicationId)).not.toContain(application.id);
  const ended = await platform.sql(
    `SELECT DISTINCT end_reason, ended_at IS NOT NULL AS "hasEnded", application_id
     FROM grants g JOIN refresh_tokens r ON r.grant_id = g.id WHERE g.id = 'grt_' || md5($1 || 1)`,
    [application.id],
  );
  expect(ended).toEqual([{ end_reason: 'application_deleted', hasEnded: true, application_id: null }]);
});

const noted = async (businessId: number) =>
  (await platform.sql('SELECT 1 FROM banned_publishers WHERE business_id = $1', [businessId])).length > 0;

test('a ban of the publisher is recorded, and is not delayed by another ban that cannot be recorded', async () => {
  const stuck = await signUpVerified(platform);
  const held = await platform.createApplication({ businessId: stuck.businessId });
  const holder = await openClient(platform.databases.identity);
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM applications WHERE id = $1 FOR UPDATE', [held.id]);
    await platform.banBusiness(stuck.businessId);
    await platform.banBusiness(publisher.businessId);
    await expectEventually(async () => expect(await noted(publisher.businessId)).toBe(true), {
      withinMs: 30_000,
    });
    expect(await noted(stuck.businessId)).toBe(false);
  } finally {
    await holder.end();
  }
  await expectEventually(async () => expect(await noted(stuck.businessId)).toBe(true), { withinMs: 30_000 });
  expect(await audited('application.suspended')).toBe(connections);
});
