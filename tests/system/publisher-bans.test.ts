import { beforeAll, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdLocks } from '../harness/hold-table.ts';
import { connect } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { openClient, query } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/*
 * Promise: a ban of a publisher that no command has made suspends its applications, and its end resumes them, whatever was
 * down or lost meanwhile.
 */

const platform = running(sharedPlatform);
let publisher: TestPerson;
let accessToken: string;
beforeAll(async () => {
  const [publishing, owner] = await Promise.all([signUpVerified(platform), signUpVerified(platform)]);
  publisher = publishing;
  const application = await platform.createApplication({ businessId: publisher.businessId });
  accessToken = (await connect(platform, owner.browser, application)).accessToken;
});

const statuses = async () => {
  const ask = (gateway: number) => platform.me(accessToken, gateway);
  return (await Promise.all([ask(0), ask(1)])).map(({ status }) => status);
};
const expectBanned = (isBanned: boolean) =>
  expectEventually(async () => expect(await statuses()).toEqual(isBanned ? [403, 403] : [200, 200]), {
    withinMs: 15_000,
  });
const onBusinesses = (text: string, values: unknown[] = []) =>
  query(platform.databases.business, text, values);
/** As a program would that knows only the table. */
const setBanned = (isBanned: boolean) =>
  onBusinesses('UPDATE businesses SET is_banned = $2 WHERE id = $1', [publisher.businessId, isBanned]);
const moveCursor = (sequence: number) => platform.sql('UPDATE ban_cursors SET sequence = $1', [sequence]);
const expectNoted = (isNoted: boolean) =>
  expectEventually(
    async () => {
      const noted = 'SELECT 1 FROM banned_publishers WHERE business_id = $1';
      const rows = await platform.sql(noted, [publisher.businessId]);
      expect(rows).toHaveLength(isNoted ? 1 : 0);
    },
    { withinMs: 15_000 },
  );
const cursor = async () => {
  const rows = await platform.sql<{ sequence: string }>('SELECT sequence FROM ban_cursors');
  return Number(rows[0]?.sequence);
};
const lastSequence = async () => {
  const { lastSequence } = await platform.businessRpc.ListBanChanges(
    { after: Number.MAX_SAFE_INTEGER, limit: 1 },
    { deadlineMs: 30_000 },
  );
  return lastSequence;
};

test('the last of many changes made during a listing is on one of its pages', async () => {
  const change = `UPDATE businesses SET is_banned = NOT is_banned WHERE id = $1`;
  const own = await signUpVerified(platform);
  let after = await lastSequence();
  let changing = true;
  const changes = (async () => {
    for (let left = 400; left > 0; left -= 1) await onBusinesses(change, [own.businessId]);
    changing = false;
  })();
  let listed: boolean | undefined;
  // Read on to the end: the reader need not have caught up with the changes before.
  for (let isEnd = false; !isEnd; ) {
    const isAfterAll = !changing;
    const page = await platform.businessRpc.ListBanChanges({ after, limit: 10 }, { deadlineMs: 30_000 });
    const isEmpty = page.changes.length === 0;
    if (isEmpty) expect(page.lastSequence).toBe(after);
    isEnd = isAfterAll && isEmpty;
    listed = page.changes.find(({ businessId }) => businessId === own.businessId)?.isBanned ?? listed;
    after = page.lastSequence;
  }
  await changes;
  // As the last of the 400 left it.
  expect(listed).toBe(false);
});

test('a ban that ends while identity-service records it does not stay recorded', async () => {
  const noting = await openClient(platform.databases.identity);
  try {
    // As a replica that has read the ban, and commits after its end.
    await noting.query('BEGIN');
    await noting.query(
      "SELECT pg_advisory_xact_lock(hashtextextended('ban of publisher ' || $1::bigint::text, 0))",
      [publisher.businessId],
    );
    await noting.query('INSERT INTO banned_publishers (business_id) VALUES ($1)', [publisher.businessId]);
    await setBanned(true);
    await setBanned(false);
    const last = await lastSequence();
    const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await expectEventually(
      async () => {
        const isWaiting = (await noting.query(waiting)).rows.length > 0;
        expect(isWaiting || (await cursor()) === last).toBe(true);
      },
      { withinMs: 15_000 },
    );
    await noting.query('COMMIT');
  } finally {
    await noting.end();
  }
  await expectNoted(false);
  await expectBanned(false);
});

test('identity-service notices a ban of a publisher and its end', async () => {
  await platform.banBusiness(publisher.businessId);
  await expectBanned(true);
  await platform.unbanBusiness(publisher.businessId);
  await expectBanned(false);
});

test('a ban while no identity-service runs is noticed by the next one', async () => {
  await Promise.all(platform.identities.map((identity) => identity.stop()));
  await setBanned(true);
  await Promise.all(platform.identities.map((identity) => identity.start()));
  await expectBanned(true);
  await setBanned(false);
  await expectBanned(false);
});

test('a ban while business-service does not reply is noticed once it does', async () => {
  for (const service of platform.businesses) service.freeze();
  await setBanned(true);
  for (const service of platform.businesses) service.thaw();
  await expectBanned(true);
  await setBanned(false);
  await expectBanned(false);
});

test('more bans than fit into one page are all noticed, and the cursor stops at the last one', async () => {
  await onBusinesses(
    `INSERT INTO businesses (unique_id, account_holder, logo, username, created_at, is_banned)
     SELECT 'biz_banned_' || n, 'Banned', '', 'banned-' || n, now(), true FROM generate_series(1, 210) AS n`,
  );
  await setBanned(true);
  await expectBanned(true);
  await expectEventually(async () => expect(await cursor()).toBe(await lastSequence()), {
    withinMs: 15_000,
  });
  await setBanned(false);
  await expectBanned(false);
});

test('a cursor beyond the last change in business-service makes the listing start over', async () => {
  await setBanned(true);
  await expectBanned(true);
  // A ban that is listed behind the cursor only.
  await platform.sql('DELETE FROM banned_publishers WHERE business_id = $1', [publisher.businessId]);
  await moveCursor((await lastSequence()) + 1_000);
  await expectNoted(true);
  await setBanned(false);
  await expectBanned(false);
});

test('a recorded ban without a change in business-service is lifted when the listing starts over', async () => {
  const note = 'INSERT INTO banned_publishers (business_id) VALUES ($1)';
  await platform.sql(note, [publisher.businessId]);
  // Not by its sequence: that of its last change is behind the cursor.
  await onBusinesses('UPDATE businesses SET ban_sequence = NULL WHERE id = $1', [publisher.businessId]);
  await moveCursor(0);
  await expectNoted(false);
  expect(await statuses()).toEqual([200, 200]);
});

test('a ban locks the Grants of all applications of a publisher by ID, like reports of usage', async () => {
  const { businessId } = await signUpVerified(platform);
  const made = [
    await platform.createApplication({ businessId }),
    await platform.createApplication({ businessId }),
  ];
  const ids = made.map(({ id }) => id).sort();
  const [low, high] = ['0', 'f'].map((digit) => `grt_${digit.repeat(32)}`);
  // The first one by id is of the last application.
  await platform.sql(
    `INSERT INTO grants (id, application_id, business_id, person_id, scopes)
     VALUES ($1, $4, 3000001, 'p', '{orders:read}'), ($2, $3, 3000002, 'p', '{orders:read}')`,
    [low, high, ...ids],
  );
  const held = await holdLocks(platform.databases.identity, 'SELECT 1 FROM grants WHERE id = $1 FOR UPDATE', [
    high,
  ]);
  try {
    await platform.banBusiness(businessId);
    // Not a replica that waits for the other one, which may have locked nothing yet.
    await expectEventually(
      async () => expect(await held.waiting('%FROM grants%ended_at%')).toBeGreaterThan(0),
      {
        withinMs: 15_000,
      },
    );
    const lock = 'SELECT 1 FROM grants WHERE id = $1 FOR UPDATE NOWAIT';
    await expect(platform.sql(lock, [low])).rejects.toThrow('could not obtain lock');
  } finally {
    await held.release();
  }
});
