import { userInfo } from 'node:os';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { adminJsonOn, adminOn } from '../harness/admin.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { png, sendLogo } from '../harness/logo.ts';
import { makeOperator, type TestOperator } from '../harness/operators.ts';
import { allMailsTo, awaitMail, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { query } from '../harness/postgres.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Actions of operators in the console: each with its effect, its rows in both logs, and its reason where the owner reads it. */

const platform = running(sharedPlatform);
let ada: TestOperator;
beforeAll(async () => {
  ada = await makeOperator(platform);
});

const logEntry = z.looseObject({ action: z.string(), details: z.string() });

/** Entries of the log of operators about a business, the newest first. */
async function logOf(businessId: number) {
  const response = await ada.call('GET', `/log?businessId=${businessId}`);
  const { entries } = z.object({ entries: z.array(logEntry) }).parse(response.json());
  return entries.filter(({ action }) => action !== 'console.viewed');
}

/** The newest event of an action in the audit log of the business, as its owner reads it. */
async function auditOf(owner: TestPerson, action: string) {
  const { own } = await openDashboard(owner, owner.browser);
  const response = await own('GET', `/audit-events?action=${action}`);
  const { events } = z.object({ events: z.array(z.looseObject({})) }).parse(response.json());
  expect(response.text).not.toContain(ada.email);
  expect(response.text).not.toContain(ada.id);
  return events[0];
}

/** Expects an action in both logs with its reason, without a person or address where the owner reads. */
async function expectInBothLogs(owner: TestPerson, action: string, reason: string): Promise<void> {
  expect(await auditOf(owner, action)).toMatchObject({
    action,
    actor: { kind: 'operator', id: 'operator', name: null, email: null },
    clientIp: null,
    facts: expect.arrayContaining([{ field: 'reason', label: 'Reason', value: reason }]),
  });
  const entry = (await logOf(owner.businessId)).find((entry) => entry.action === action);
  expect(entry).toMatchObject({ operator: ada.email, via: 'console', clientIp: expect.stringMatching(/./) });
  expect(JSON.parse(entry?.details ?? '')).toMatchObject({ reason });
}

/** The email to the owner with a reason in it. */
const expectMailed = ({ email }: TestPerson, subject: string, reason: string) =>
  expectEventually(
    () => {
      const mails = allMailsTo(platform.mailDirectory, email).filter((mail) => mail.subject === subject);
      expect(mails.some(({ text }) => text.replaceAll(/\s+/g, ' ').includes(reason))).toBe(true);
    },
    { withinMs: 30_000 },
  );

const long = `${'The commercial register has another name. '.repeat(6)}Please correct it.`;

const submit = ({ businessId }: TestPerson) =>
  platform.businessRpc.SubmitVerification(
    { businessId, legalName: 'Analytical Engines Limited', registrationNumber: 'HRB 77', country: 'DE' },
    { deadlineMs: 30_000 },
  );

/** When the facts were submitted that wait in the queue. */
async function submissionOf({ businessId }: TestPerson): Promise<string> {
  const { verifications } = z
    .object({ verifications: z.array(z.looseObject({ id: z.number(), submittedAt: z.string() })) })
    .parse((await ada.call('GET', '/queue')).json());
  const waiting = verifications.find(({ id }) => id === businessId);
  expect(waiting).toMatchObject({ verification: 'pending' });
  return waiting?.submittedAt ?? '';
}

test('a verification waits in the queue, is rejected, and approved, once', async () => {
  const owner = await signUp(platform);
  const of = `/businesses/${owner.businessId}`;
  await submit(owner);
  const first = await submissionOf(owner);
  for (const action of ['approve', 'reject']) {
    for (const submittedAt of [undefined, null, 7, '', 'yesterday'])
      expect((await ada.call('POST', `${of}/${action}`, { reason: 'x', submittedAt })).status).toBe(400);
  }
  expect((await ada.call('POST', `${of}/reject`, { reason: long, submittedAt: first })).status).toBe(204);
  await expectInBothLogs(owner, 'business.verification_rejected', long);
  await expectMailed(owner, 'Your business could not be verified', long);
  for (const submittedAt of [first, new Date(0), new Date(-1)]) {
    expect((await ada.call('POST', `${of}/approve`, { reason: 'x', submittedAt })).status).toBe(409);
  }
  await submit(owner);
  for (const action of ['approve', 'reject']) {
    const late = await ada.call('POST', `${of}/${action}`, { reason: 'x', submittedAt: first });
    expect(refusalOf(late)).toMatchObject({ code: 409 });
  }
  const submittedAt = await submissionOf(owner);
  const reason = 'Found in the register';
  expect((await ada.call('POST', `${of}/approve`, { reason, submittedAt })).status).toBe(204);
  await expectInBothLogs(owner, 'business.verified', reason);
  await expectMailed(owner, 'Your business is verified', reason);
  expect((await ada.call('POST', `${of}/approve`, { reason, submittedAt })).status).toBe(409);
});

test('a ban and its end take effect at once, also for the apps of the business', async () => {
  const owner = await signUpVerified(platform);
  const of = `/businesses/${owner.businessId}`;
  const key = await platform.createKey({ businessId: owner.businessId });
  expect((await platform.request(0, 'GET', '/v2/order', { key: key.keyString })).status).toBe(200);
  const banned = await ada.call('POST', `${of}/ban`, { reason: long });
  expect([banned.status, banned.json()]).toEqual([200, { propagation: 'confirmed', proposalId: null }]);
  expect((await platform.request(1, 'GET', '/v2/order', { key: key.keyString })).status).toBe(403);
  await expectInBothLogs(owner, 'business.banned', long);
  await expectMailed(owner, 'Your business was banned', long);
  expect(refusalOf(await ada.call('POST', `${of}/ban`, { reason: 'again' }))).toMatchObject({
    code: 409,
    reason: 'business_banned',
  });
  expect((await ada.call('POST', `${of}/unban`, { reason: 'It was a mistake' })).status).toBe(200);
  expect((await platform.request(0, 'GET', '/v2/order', { key: key.keyString })).status).toBe(200);
  await expectInBothLogs(owner, 'business.unbanned', 'It was a mistake');
  await expectMailed(owner, 'The ban on your business was lifted', 'It was a mistake');
  expect((await ada.call('POST', `${of}/unban`, { reason: 'again' })).status).toBe(409);
  const banEvents =
    "SELECT count(*)::int AS count FROM audit_events WHERE business_id = $1 AND action = 'business.banned'";
  expect(await platform.sql(banEvents, [owner.businessId])).toEqual([{ count: 1 }]);
});

test('two operators who ban at the same time on two replicas ban once', async () => {
  const [bob, owner] = await Promise.all([makeOperator(platform, { gateway: 1 }), signUpVerified(platform)]);
  const ban = ({ call }: TestOperator) =>
    call('POST', `/businesses/${owner.businessId}/ban`, { reason: 'spam' });
  const statuses = (await Promise.all([ada, bob, ada, bob].map(ban))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 409, 409, 409]);
  expect(await logOf(owner.businessId)).toHaveLength(1);
});

test('an app is suspended and resumed, and each reason is read', async () => {
  const owner = await signUpVerified(platform);
  const { id } = await platform.createApplication({ businessId: owner.businessId });
  const of = `/businesses/${owner.businessId}/applications/${id}`;
  for (const reason of [long, 'Again: it sends spam']) {
    expect((await ada.call('POST', `${of}/suspend`, { reason })).status).toBe(200);
    await expectInBothLogs(owner, 'application.suspended', reason);
    await expectMailed(owner, 'An app was suspended', reason);
    expect((await ada.call('POST', `${of}/suspend`, { reason: 'x' })).status).toBe(409);
    expect((await ada.call('POST', `${of}/resume`, { reason })).status).toBe(200);
    await expectInBothLogs(owner, 'application.resumed', reason);
    await expectMailed(owner, 'An app was resumed', reason);
    expect((await ada.call('POST', `${of}/resume`, { reason: 'x' })).status).toBe(409);
  }
});

test('limits are set with a reason', async () => {
  const owner = await signUpVerified(platform);
  const app = await platform.createApplication({ businessId: owner.businessId });
  const key = await platform.createKey({ businessId: owner.businessId });
  const of = `/businesses/${owner.businessId}`;
  const reason = 'For the sale in May';
  expect((await ada.call('PUT', `${of}/applications/${app.id}/limit`, { limit: 90, reason })).status).toBe(
    204,
  );
  await expectInBothLogs(owner, 'application.limit_set', reason);
  await expectMailed(owner, 'The limit of an app was raised', reason);
  expect((await ada.call('PUT', `${of}/api-keys/${key.id}/limit`, { limit: 20_000, reason })).status).toBe(
    200,
  );
  await expectInBothLogs(owner, 'api_key.limit_set', reason);
  await expectMailed(owner, 'The limit of an API key was raised', reason);
  for (const limit of [0, -1, 1.5, 1e12, '7', null]) {
    expect((await ada.call('PUT', `${of}/api-keys/${key.id}/limit`, { limit, reason })).status).toBe(400);
  }
});

test('a request for a higher limit is granted or declined, once', async () => {
  const owner = await signUpVerified(platform);
  const { id: subjectId } = await platform.createKey({ businessId: owner.businessId });
  const { own } = await openDashboard(owner, owner.browser);
  const ask = async () => {
    const body = { kind: 'rate_limit', subjectId, limit: 30_000, reason: 'growth' };
    const asked = z.object({ limitRequest: z.looseObject({ id: z.string() }) });
    return asked.parse((await own('POST', '/limit-requests', body)).json()).limitRequest.id;
  };
  const first = await ask();
  expect((await ada.call('GET', '/queue')).text).toContain(first);
  expect((await ada.call('POST', `/limit-requests/${first}/decline`, { reason: long })).status).toBe(204);
  await expectInBothLogs(owner, 'limit_request.declined', long);
  await expectMailed(owner, 'Your request for a higher limit was declined', long);
  const second = await ask();
  const lower = { limit: 10_000, reason: 'x' };
  const refused = await ada.call('POST', `/limit-requests/${second}/grant`, lower);
  expect(refusalOf(refused)).toMatchObject({ code: 400, fields: ['limit'] });
  const grant = { limit: 25_000, reason: 'Enough for May' };
  expect((await ada.call('POST', `/limit-requests/${second}/grant`, grant)).status).toBe(204);
  await expectInBothLogs(owner, 'limit_request.granted', 'Enough for May');
  await expectMailed(owner, 'Your limit was raised', 'Enough for May');
  expect((await ada.call('POST', `/limit-requests/${second}/grant`, grant)).status).toBe(409);
});

describe('a logo is removed', () => {
  const logoOf = async ({ businessId }: TestPerson) => {
    const text = 'SELECT logo FROM businesses WHERE id = $1';
    return (await query<{ logo: string }>(platform.databases.business, text, [businessId]))[0]?.logo ?? '';
  };
  const isServed = async (logo: string) =>
    (await platform.request(1, 'GET', new URL(logo).pathname)).status === 200;
  /** Of a size that no other test has: an image stays as long as any business has it. */
  const add = async (owner: TestPerson, side: number) => {
    expect((await sendLogo(owner, png(side))).status).toBe(200);
    return logoOf(owner);
  };

  test('with its image, and the owners read the reason and can add another one', async () => {
    const owner = await signUpVerified(platform);
    const of = `/businesses/${owner.businessId}`;
    const logo = await add(owner, 41);
    expect((await ada.call('GET', of)).json()).toMatchObject({ business: { logo } });
    for (const refused of ['', ' ', 'a\nb']) {
      expect((await ada.call('POST', `${of}/remove-logo`, { reason: refused })).status).toBe(400);
    }
    expect(await isServed(logo)).toBe(true);
    expect((await ada.call('POST', `${of}/remove-logo`, { reason: long })).status).toBe(204);
    expect([await logoOf(owner), await isServed(logo)]).toEqual(['', false]);
    expect((await ada.call('GET', of)).json()).toMatchObject({ business: { logo: null } });
    await expectInBothLogs(owner, 'business.logo_removed', long);
    await expectMailed(owner, 'Your logo was removed', long);
    const again = await ada.call('POST', `${of}/remove-logo`, { reason: 'again' });
    expect(refusalOf(again)).toMatchObject({ code: 409, reason: 'no_logo' });
    expect((await ada.call('POST', '/businesses/999999999/remove-logo', { reason: 'x' })).status).toBe(404);
    expect(await isServed(await add(owner, 41))).toBe(true);
  });

  test('even if an earlier attempt ended between the two databases', async () => {
    const owner = await signUpVerified(platform);
    const logo = await add(owner, 43);
    await query(platform.databases.business, "UPDATE businesses SET logo = '' WHERE id = $1", [
      owner.businessId,
    ]);
    expect(await isServed(logo)).toBe(true);
    const path = `/businesses/${owner.businessId}/remove-logo`;
    expect((await ada.call('POST', path, { reason: 'Once more' })).status).toBe(204);
    expect(await isServed(logo)).toBe(false);
    await expectInBothLogs(owner, 'business.logo_removed', 'Once more');
    expect((await ada.call('POST', path, { reason: 'again' })).status).toBe(409);
  });

  test('from a banned business, and on the command line, which requires a reason', async () => {
    const owner = await signUpVerified(platform);
    const logo = await add(owner, 42);
    const of = `/businesses/${owner.businessId}`;
    expect((await ada.call('POST', `${of}/ban`, { reason: 'It imitates a bank' })).status).toBe(200);
    const command = ['business', 'remove-logo', '--business', String(owner.businessId)];
    await expect(adminJsonOn(platform, ...command)).rejects.toThrow(/--reason/);
    await expect(adminJsonOn(platform, ...command, '--reason', ' ')).rejects.toThrow(/reason/);
    expect(await isServed(logo)).toBe(true);
    const reason = 'It is that of a bank';
    expect(await adminJsonOn(platform, ...command, '--reason', reason)).toMatchObject({ logo: null });
    expect([await logoOf(owner), await isServed(logo)]).toEqual(['', false]);
    expect(await auditOf(owner, 'business.logo_removed')).toMatchObject({ actor: { kind: 'operator' } });
    await expectMailed(owner, 'Your logo was removed', reason);
    expect((await logOf(owner.businessId))[0]).toMatchObject({
      action: 'business.logo_removed',
      via: 'shell',
    });
  });
});

test('a business is frozen and the freeze lifted, each with a reason that the owners get', async () => {
  const owner = await signUp(platform);
  const key = await platform.createKey({ businessId: owner.businessId });
  const of = `/businesses/${owner.businessId}`;
  const status = async () => (await platform.request(0, 'GET', '/v2/order', { key: key.keyString })).status;
  expect((await ada.call('POST', `${of}/freeze`, { reason: ' ' })).status).toBe(400);
  expect((await ada.call('POST', `${of}/freeze`, { reason: long })).status).toBe(200);
  expect(await status()).toBe(403);
  const again = await ada.call('POST', `${of}/freeze`, { reason: 'again' });
  expect([again.status, again.text]).toEqual([409, expect.stringContaining('already frozen')]);
  await expectInBothLogs(owner, 'business.frozen', long);
  await expectMailed(owner, 'API access was frozen', long);
  expect((await ada.call('GET', of)).json()).toMatchObject({
    freeze: { personId: '', reason: long },
    proposal: null,
  });
  expect((await ada.call('POST', `${of}/unfreeze`, { reason: 'They rotated the key' })).status).toBe(200);
  expect(await status()).toBe(200);
  expect((await ada.call('POST', `${of}/unfreeze`, { reason: 'again' })).status).toBe(409);
  await expectInBothLogs(owner, 'business.unfrozen', 'They rotated the key');
  await expectMailed(owner, 'API access works again', 'They rotated the key');
  const filtered = await ada.call(
    'GET',
    `/log?businessId=${owner.businessId}&kind=changes&operator=${ada.email}`,
  );
  expect(filtered.json()).toMatchObject({
    entries: [
      { words: 'Lifted the freeze: keys and apps worked again', facts: ['Reason: They rotated the key'] },
      { words: 'Froze API access: all requests were refused from then on' },
    ],
  });
  const elsewhere = await ada.call(
    'GET',
    `/log?businessId=${owner.businessId}&operator=stranger@example.com`,
  );
  expect(elsewhere.json()).toMatchObject({ entries: [] });
});

test('the page of a business shows the reasons of decisions and bans, and the requests that owners see', async () => {
  const owner = await signUp(platform);
  const of = `/businesses/${owner.businessId}`;
  await submit(owner);
  const approval = { reason: 'Found in the register', submittedAt: await submissionOf(owner) };
  expect((await ada.call('POST', `${of}/approve`, approval)).status).toBe(204);
  expect((await ada.call('GET', of)).json()).toMatchObject({
    business: { decisionReason: 'Found in the register', ban: null },
    use: { requests: 0, refused: 0, limited: 0, failed: 0 },
  });
  expect((await ada.call('POST', `${of}/ban`, { reason: 'It imitates a bank' })).status).toBe(200);
  expect((await ada.call('GET', of)).json()).toMatchObject({
    business: { ban: { reason: 'It imitates a bank' } },
  });
});

test('a command in the shell is in the log of operators', async () => {
  const owner = await signUp(platform);
  await adminJsonOn(
    platform,
    'business',
    'freeze',
    '--business',
    String(owner.businessId),
    '--reason',
    'by phone',
  );
  expect(await logOf(owner.businessId)).toMatchObject([
    { action: 'business.frozen', via: 'shell', clientIp: null },
  ]);
  await awaitMail(platform.mailDirectory, owner.email, 2);
  await adminJsonOn(platform, 'audit', 'list', '--business', String(owner.businessId));
  expect((await logOf(owner.businessId))[0]).toMatchObject({ action: 'audit_log.viewed', via: 'shell' });
});

test('no operator decides about a business of their own, neither in the console nor in the shell', async () => {
  const own = await makeOperator(platform);
  const { businessId } = own;
  await submit(own);
  const submittedAt = await submissionOf(own);
  await platform.createKey({ businessId });
  const [key] = await platform.sql<{ id: string }>('SELECT id FROM api_keys WHERE business_id = $1', [
    businessId,
  ]);
  const acts: [string, object][] = [
    ['ban', {}],
    ['unban', {}],
    ['approve', { submittedAt }],
    ['reject', { submittedAt }],
  ];
  const limit = `api-keys/${key?.id}/limit`;
  for (const [act, fields] of [...acts, [limit, { limit: 900 }] as const]) {
    const method = act === limit ? 'PUT' : 'POST';
    const body = { reason: 'mine', ...fields };
    const response = await own.call(method, `/businesses/${businessId}/${act}`, body);
    expect([act, refusalOf(response)]).toMatchObject([act, { code: 403, reason: 'own_business' }]);
  }
  const rename = 'UPDATE people SET email = $2 WHERE id = $1';
  await platform.sql(rename, [own.id, userInfo().username]);
  const shell = await adminOn(
    platform,
    'business',
    'ban',
    '--business',
    String(businessId),
    '--reason',
    'mine',
  );
  expect([shell.code, shell.err]).toEqual([1, expect.stringContaining('another operator must')]);
  expect(await platform.businessRpc.GetBusiness({ businessId }, { deadlineMs: 30_000 })).toMatchObject({
    business: { isBanned: false, verification: { status: 'VERIFICATION_STATUS_PENDING' } },
  });
});
