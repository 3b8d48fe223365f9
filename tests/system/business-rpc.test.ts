import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { startBusinessPlatform } from '../harness/business-platform.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { openClient } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';

const platform = running(startBusinessPlatform);

const call = { deadlineMs: 30_000 };
const facts = { legalName: 'Tea Limited', registrationNumber: 'HRB 7', country: 'DE' };
const rpc = () => platform.businesses.businessRpc;
const username = () => `u${randomBytes(6).toString('hex')}`;
const newBusiness = () => platform.businesses.createBusiness('rpc');

const sqlEvents = (businessId: number) =>
  platform.sql<{ sequence: string; type: string; payload: Record<string, unknown> }>(
    'SELECT sequence, type, payload FROM events WHERE business_id = $1 ORDER BY sequence',
    [businessId],
  );

test('a new business is unverified, and can be read back', async () => {
  const request = { accountHolder: 'Tea & Söhne', username: username(), logo: 'https://example.com/a.png' };
  const { business } = await rpc().CreateBusiness(request, call);
  expect(business).toEqual({
    ...request,
    id: expect.any(Number),
    uniqueId: expect.stringMatching(/^biz_/),
    isBanned: false,
    createdAtUnixMs: expect.any(Number),
    usernameChangeableAtUnixMs: 0,
    verification: {
      status: 'VERIFICATION_STATUS_UNVERIFIED',
      legalName: '',
      registrationNumber: '',
      country: '',
      submittedAtUnixMs: 0,
      decidedAtUnixMs: 0,
      rejectionReason: '',
    },
  });
  expect(Math.abs(Date.now() - (business?.createdAtUnixMs ?? 0))).toBeLessThan(60_000);
  expect((await rpc().GetBusiness({ businessId: business?.id ?? 0 }, call)).business).toEqual(business);
});

test('a username is given once, to the first request', async () => {
  const request = { accountHolder: 'Tea', username: username(), logo: '' };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, () => rpc().CreateBusiness(request, call)),
  );
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(7);
  for (const outcome of refused) {
    expect(outcome).toMatchObject({ reason: { kind: 'conflict', reason: 'username_taken' } });
  }
});

test('verification goes from submission over rejection to approval, and every step is an event', async () => {
  const businessId = await newBusiness();
  await rpc().SubmitVerification({ businessId, ...facts }, call);
  const rejected = await rpc().RejectVerification({ businessId, reason: 'illegible' }, call);
  expect(rejected.business?.verification).toMatchObject({
    status: 'VERIFICATION_STATUS_REJECTED',
    rejectionReason: 'illegible',
  });
  await rpc().SubmitVerification({ businessId, ...facts, legalName: 'Tea GmbH' }, call);
  const { business } = await rpc().ApproveVerification({ businessId }, call);
  expect(business?.verification).toMatchObject({
    status: 'VERIFICATION_STATUS_VERIFIED',
    legalName: 'Tea GmbH',
    rejectionReason: '',
  });
  await rpc().BanBusiness({ businessId }, call);
  await rpc().BanBusiness({ businessId }, call);
  await rpc().UnbanBusiness({ businessId }, call);
  const events = await sqlEvents(businessId);
  expect(events.map(({ sequence, type }) => `${sequence} ${type}`)).toEqual([
    '1 business.created',
    '2 business.verification_submitted',
    '3 business.verification_rejected',
    '4 business.verification_submitted',
    '5 business.verified',
    '6 business.banned',
    '7 business.unbanned',
  ]);
  expect(events[5]?.payload).toMatchObject({ id: businessId, is_banned: true });
});

describe('a step that the verification does not allow is refused without an event', () => {
  const steps = {
    submit: (businessId: number) => rpc().SubmitVerification({ businessId, ...facts }, call),
    approve: (businessId: number) => rpc().ApproveVerification({ businessId }, call),
    reject: (businessId: number) => rpc().RejectVerification({ businessId, reason: 'no' }, call),
  };

  test.each([
    ['unverified', [], 'approve'],
    ['unverified', [], 'reject'],
    ['pending', ['submit'], 'submit'],
    ['verified', ['submit', 'approve'], 'submit'],
    ['verified', ['submit', 'approve'], 'reject'],
    ['rejected', ['submit', 'reject'], 'approve'],
  ] as const)('%s after %j: %s', async (status, way, step) => {
    const businessId = await newBusiness();
    for (const name of way) await steps[name](businessId);
    await expect(steps[step](businessId)).rejects.toMatchObject({
      kind: 'failed_precondition',
      reason: 'wrong_verification_status',
      message: `not possible while the verification is ${status}`,
    });
    expect(await sqlEvents(businessId)).toHaveLength(1 + way.length);
  });

  test('only one of two decisions at once takes effect', async () => {
    const businessId = await newBusiness();
    await steps.submit(businessId);
    const outcomes = await Promise.allSettled([steps.approve(businessId), steps.reject(businessId)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('the changes of bans', () => {
  const changesAfter = async (after: number, limit = 1_000) =>
    (await rpc().ListBanChanges({ after, limit }, call)).changes;
  const position = async () => (await rpc().ListBanChanges({ after: 0, limit: 1_000 }, call)).lastSequence;

  test('are listed in order from a position, with the current state of each business once', async () => {
    const [first, second, never] = [await newBusiness(), await newBusiness(), await newBusiness()];
    const before = await position();
    for (const businessId of [first, second, second, first]) await rpc().BanBusiness({ businessId }, call);
    await rpc().UnbanBusiness({ businessId: first }, call);
    const changes = await changesAfter(before);
    expect(changes.map(({ businessId, isBanned }) => [businessId, isBanned])).toEqual([
      [second, true],
      [first, false],
    ]);
    expect(await changesAfter(before, 1)).toEqual(changes.slice(0, 1));
    const end = changes.at(-1)?.sequence ?? 0;
    expect(await rpc().ListBanChanges({ after: end, limit: 1 }, call)).toEqual({
      changes: [],
      lastSequence: end,
    });
    await rpc().SubmitVerification({ businessId: never, ...facts }, call);
    expect(await changesAfter(end)).toEqual([]);
  });

  test('are listed in the order of their commits', async () => {
    const [slow, quick] = [await newBusiness(), await newBusiness()];
    const before = await position();
    const client = await openClient(platform.databaseUrl);
    await client.query('BEGIN');
    await client.query('UPDATE businesses SET is_banned = true WHERE id = $1', [slow]);
    const banned = rpc().BanBusiness({ businessId: quick }, call);
    const isWaiting = async () => {
      const text = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event = 'advisory'`;
      expect(await platform.sql(text)).toHaveLength(1);
    };
    await expectEventually(isWaiting, { withinMs: 2_000, everyMs: 10 });
    expect(await changesAfter(before)).toEqual([]);
    await client.query('COMMIT');
    await client.end();
    await banned;
    expect((await changesAfter(before)).map(({ businessId }) => businessId)).toEqual([slow, quick]);
  });

  test.each([
    [-1, 1],
    [0, 0],
    [0, 1_001],
  ])('after %d, at most %d are refused', async (after, limit) => {
    await expect(rpc().ListBanChanges({ after, limit }, call)).rejects.toMatchObject({
      kind: 'invalid_argument',
    });
  });
});

test('a second request with the same key returns the existing business', async () => {
  const draft = { accountHolder: 'Twice Ltd', username: 'twice', logo: '', creationKey: 'sign-up-1' };
  const responses = await Promise.all([1, 2, 3].map(() => rpc().CreateBusiness(draft, call)));
  const ids = responses.map(({ business }) => business?.id);
  expect(new Set(ids).size).toBe(1);
  const later = await rpc().CreateBusiness({ ...draft, username: 'another-name' }, call);
  expect(later.business).toMatchObject({ id: ids[0], username: 'twice' });
  expect(await sqlEvents(ids[0] ?? 0)).toHaveLength(1);
  await expect(rpc().CreateBusiness({ ...draft, creationKey: 'sign-up-2' }, call)).rejects.toMatchObject({
    reason: 'username_taken',
  });
});

test('invalid requests are refused with the name of the field', async () => {
  const request = { accountHolder: '', username: 'NO', logo: 'http://x' };
  await expect(rpc().CreateBusiness(request, call)).rejects.toMatchObject({
    kind: 'invalid_argument',
    message: expect.stringMatching(/account_holder: .*username: .*logo: /s),
  });
  await expect(
    rpc().SubmitVerification({ businessId: await newBusiness(), ...facts, country: 'Germany' }, call),
  ).rejects.toMatchObject({ kind: 'invalid_argument', message: expect.stringContaining('country') });
});

test.each([
  ['that was never made', 2_000_000_000, 'not_found'],
  ['that the database cannot hold', 3_000_000_000, 'invalid_argument'],
  ['that was not given', 0, 'invalid_argument'],
])('a business %s is an expected error', async (_, businessId, kind) => {
  await expect(rpc().GetBusiness({ businessId }, call)).rejects.toMatchObject({ kind });
  await expect(rpc().BanBusiness({ businessId }, call)).rejects.toMatchObject({ kind });
});
