import { expect, test } from '@jest/globals';
import { adminJsonOn, adminOn } from '../harness/admin.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { failWrites } from '../harness/fail-writes.ts';
import { call } from '../harness/patience.ts';
import { awaitMailAbout, signUp } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Contract 5.1: a verification is noticed by operators, decided, and its owners learn of the decision. */

const platform = running(sharedPlatform);

async function openOwner() {
  const person = await signUp(platform);
  return { ...person, ...(await openDashboard(person, person.browser)) };
}

const facts = { legalName: 'Analytical Engines Limited', registrationNumber: 'HRB 1000', country: 'GB' };

const mailWith = (to: string, subject: string) => awaitMailAbout(platform.mailDirectory, to, subject);

test('operators get an email about a submission, and owners about each decision with its reason', async () => {
  const ada = await openOwner();
  const { businessId } = ada;
  const submitted = { ...facts, legalName: 'Visit https://evil.example Ltd' };
  expect((await ada.own('POST', '/verification', submitted)).status).toBe(204);
  const mail = await mailWith(
    'operators@platform.test',
    `Business ${businessId} was submitted for verification`,
  );
  expect(mail.text).toContain('Registration number: HRB 1000');
  expect(mail.link).toBe('');

  const reason =
    `The register knows no company of this number, see HRB. ${'It was searched. '.repeat(10)}`.trim();
  await adminJsonOn(platform, 'business', 'reject', '--business', String(businessId), '--reason', reason);
  const rejection = await mailWith(ada.email, 'Your business could not be verified');
  expect(rejection.text.replaceAll(/\s+/g, ' ')).toContain(reason);
  expect((await ada.own('GET', '')).json()).toMatchObject({
    verification: { state: 'rejected', rejectionReason: reason },
  });

  expect((await ada.own('POST', '/verification', facts)).status).toBe(204);
  const again = await adminJsonOn(platform, 'business', 'verify', '--business', String(businessId));
  expect(again).toMatchObject({ verification: { status: 'verified' } });
  await mailWith(ada.email, 'Your business is verified');
  const text =
    "SELECT action, actor_kind FROM audit_events WHERE business_id = $1 AND action LIKE 'business.ver%' ORDER BY id";
  expect((await platform.sql(text, [businessId])).map(Object.values)).toEqual([
    ['business.verification_submitted', 'person'],
    ['business.verification_rejected', 'operator'],
    ['business.verification_submitted', 'person'],
    ['business.verified', 'operator'],
  ]);
  const { code, err } = await adminOn(platform, 'business', 'verify', '--business', String(businessId));
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('not possible while the verification is verified'),
  ]);
});

test.each([
  ['verify', [], 'business.verified', 'Your business is verified'],
  [
    'reject',
    ['--reason', 'The register knows no such company.'],
    'business.verification_rejected',
    'Your business could not be verified',
  ],
])(
  'a decision whose event was lost is recorded when it is repeated: %s',
  async (decision, reason, action, subject) => {
    const ada = await openOwner();
    const { businessId } = ada;
    expect((await ada.own('POST', '/verification', facts)).status).toBe(204);
    const decide = () => adminOn(platform, 'business', decision, '--business', String(businessId), ...reason);
    const restore = await failWrites(platform.databases.identity, 'audit_events', '53100');
    try {
      expect((await decide()).code).toBe(1);
    } finally {
      await restore();
    }
    expect((await decide()).code).toBe(0);
    await mailWith(ada.email, subject);
    expect((await decide()).err).toContain('not possible while the verification is');
    const text = 'SELECT action FROM audit_events WHERE business_id = $1 AND action = $2';
    expect(await platform.sql(text, [businessId, action])).toHaveLength(1);
  },
);

test('an implausible country or number is refused by the dashboard API and by business-service', async () => {
  const ada = await openOwner();
  const { businessId } = ada;
  for (const [change, fields] of [
    [{ country: 'ZZ' }, ['country']],
    [{ registrationNumber: 'none' }, ['registrationNumber']],
  ] as const) {
    const body = { ...facts, ...change };
    expect(refusalOf(await ada.own('POST', '/verification', body))).toMatchObject({ code: 400, fields });
    await expect(
      platform.businessRpc.SubmitVerification({ businessId, ...body }, call),
    ).rejects.toMatchObject({
      kind: 'invalid_argument',
    });
  }
  const lower = { ...facts, country: ' fr ', registrationNumber: '552 032 534 R.C.S. Paris' };
  expect((await ada.own('POST', '/verification', lower)).status).toBe(204);
});
