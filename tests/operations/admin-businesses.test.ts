import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { adminJsonOn, adminOn } from '../harness/admin.ts';
import { query } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** npm run admin -- business list|find: operators find who waits, and who a name or number belongs to. */

const platform = running(sharedPlatform);
/** In every name of this file, and in no other. */
const mark = `Quern${randomBytes(4).toString('hex')}`;
let ids: number[];
beforeAll(async () => {
  ids = [];
  for (const [index, country] of ['DE', 'FR', 'GB'].entries()) {
    const { id } = await adminJsonOn(
      platform,
      'business',
      'create',
      ...['--account-holder', `${mark} ${index}`, '--username', `${mark.toLowerCase()}-${index}`],
    );
    ids.push(id);
    const facts = { legalName: `${mark} ${index} Limited`, registrationNumber: `${mark}/${index}`, country };
    await platform.businessRpc.SubmitVerification({ businessId: id, ...facts }, { deadlineMs: 30_000 });
  }
});

const page = z.object({ businesses: z.array(z.object({ id: z.number() })), hasMore: z.boolean() });

const listed = async (...args: string[]) => page.parse(await adminJsonOn(platform, 'business', ...args));
const idsOf = async (...args: string[]) => (await listed(...args)).businesses.map(({ id }) => id);
const ours = (found: readonly number[]) => found.filter((id) => ids.includes(id));

test('business list shows pending verifications, the oldest first, until they are decided', async () => {
  const [first = 0, second, third] = ids;
  const text = 'UPDATE businesses SET submitted_at = submitted_at - make_interval(hours => $2) WHERE id = $1';
  await query(platform.databases.business, text, [third, 2]);
  const waiting = () => idsOf('list', '--status', 'pending', '--limit', '500');
  expect(ours(await waiting())).toEqual([third, first, second]);
  await adminJsonOn(platform, 'business', 'verify', '--business', String(first));
  expect(ours(await waiting())).toEqual([third, second]);
  expect(ours(await idsOf('list', '--status', 'verified', '--limit', '500'))).toEqual([first]);
});

test('business list shows the newest businesses first, and says when there are more', async () => {
  const { businesses, hasMore } = await listed('list', '--limit', '2');
  expect([businesses.length, hasMore]).toEqual([2, true]);
  const [one, two] = businesses.map(({ id }) => id);
  expect(one).toBeGreaterThan(two ?? Number.POSITIVE_INFINITY);
  const { out } = await adminOn(platform, 'business', 'list', '--limit', '2');
  expect(out).toMatch(/^ID +USERNAME +NAME +REGISTERED NAME +VERIFICATION +SUBMITTED +BANNED$/m);
  expect(out).toContain('There are more than 2: narrow it down, or raise --limit.');
});

test('business find searches by a part of any name in any case, and by whole ids', async () => {
  const [first, second = 0] = ids;
  expect(ours(await idsOf('find', mark.toUpperCase()))).toHaveLength(3);
  expect(await idsOf('find', `${mark} 1 lim`)).toEqual([second]);
  expect(await idsOf('find', `${mark.toLowerCase()}-1`)).toEqual([second]);
  expect(await idsOf('find', `${mark}/0`)).toEqual([first]);
  expect(await idsOf('find', String(second))).toContain(second);
  const { businesses } = page
    .extend({ businesses: z.array(z.object({ uniqueId: z.string() })) })
    .parse(await adminJsonOn(platform, 'business', 'find', `${mark} 1`));
  expect(await idsOf('find', businesses[0]?.uniqueId ?? '')).toEqual([second]);
});

test('business list shows banned businesses, and business find has no result for nonsense', async () => {
  const [, , third = 0] = ids;
  await adminJsonOn(platform, 'business', 'ban', '--business', String(third), '--reason', 'fraud');
  expect(ours(await idsOf('list', '--banned', '--limit', '500'))).toEqual([third]);
  expect((await adminOn(platform, 'business', 'find', `${mark}' OR 1=1 --`)).out).toBe('No business.\n');
  expect(await idsOf('find', '99999999999999999999')).toEqual([]);
  const tooLong = await adminOn(platform, 'business', 'find', 'x'.repeat(201));
  expect([tooLong.code, tooLong.err]).toEqual([1, expect.stringContaining('search')]);
  const tooMany = await adminOn(platform, 'business', 'list', '--limit', '501');
  expect([tooMany.code, tooMany.err]).toEqual([1, expect.stringContaining('limit')]);
  const state = await adminOn(platform, 'business', 'list', '--status', 'asleep');
  expect([state.code, state.err]).toEqual([2, expect.stringContaining('Allowed choices are unverified')]);
});
