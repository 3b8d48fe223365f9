import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { untilBusinessIsBack } from '../harness/business-outage.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { call } from '../harness/patience.ts';
import { joinBusiness, signUp, signUpVerified } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const platform = running(sharedPlatform);

async function openOwner() {
  const person = await signUp(platform);
  return { ...person, ...(await openDashboard(person, person.browser)) };
}

const facts = { legalName: 'Analytical Engines Limited', registrationNumber: 'HRB 1000', country: 'GB' };
const moment = expect.stringMatching(/^20\d\d-.*Z$/);

test('the record is that of business-service, with the identifiers that the API uses', async () => {
  const person = await signUpVerified(platform);
  const { own } = await openDashboard(person, person.browser);
  const { businessId } = person;
  const response = await own('GET', '');
  expect([response.status, response.json()]).toEqual([
    200,
    {
      id: String(businessId),
      record: {
        numericId: businessId,
        uniqueId: expect.any(String),
        accountHolder: 'Analytical Engines',
        username: expect.stringMatching(/^engines-/),
        logo: null,
        isBanned: false,
        usernameChangeableAt: null,
        createdAt: moment,
      },
      verification: {
        state: 'verified',
        facts: { legalName: 'Analytical Engines Limited', registrationNumber: 'HRB 1000', country: 'DE' },
        submittedAt: moment,
        decidedAt: moment,
        rejectionReason: null,
      },
    },
  ]);
  const { keyString } = await platform.createKey({ businessId });
  const me = await platform.me(keyString);
  const { record } = z.object({ record: z.object({ uniqueId: z.string() }) }).parse(response.json());
  expect(me.json()).toMatchObject({ id: businessId, unique_id: record.uniqueId });
});

describe('verification', () => {
  test('goes from unverified through submitted and rejected to verified', async () => {
    const ada = await openOwner();
    const { businessId } = ada;
    const stateOf = async () =>
      z
        .object({ verification: z.looseObject({ state: z.string() }) })
        .parse((await ada.own('GET', '')).json()).verification;
    expect(await stateOf()).toEqual({
      state: 'unverified',
      facts: null,
      submittedAt: null,
      decidedAt: null,
      rejectionReason: null,
    });
    const submitted = await ada.own('POST', '/verification', { ...facts, country: 'gb' });
    expect([submitted.status, submitted.text]).toEqual([204, '']);
    expect(await stateOf()).toMatchObject({ state: 'pending', facts, submittedAt: moment, decidedAt: null });

    const early = await ada.own('POST', '/verification', facts);
    expect([early.status, early.json()]).toMatchObject([409, { reason: 'verification_under_way' }]);

    const reason = 'The register knows no company of this number.';
    await platform.businessRpc.RejectVerification({ businessId, reason }, call);
    expect(await stateOf()).toMatchObject({ state: 'rejected', rejectionReason: reason, decidedAt: moment });
    expect((await ada.own('POST', '/verification', facts)).status).toBe(204);
    await platform.businessRpc.ApproveVerification({ businessId }, call);
    expect(await stateOf()).toMatchObject({ state: 'verified', rejectionReason: null });
    const text =
      "SELECT actor_id FROM audit_events WHERE action = 'business.verification_submitted' AND business_id = $1";
    expect(await platform.sql(text, [businessId])).toEqual([{ actor_id: ada.id }, { actor_id: ada.id }]);
  });

  test('is refused field by field', async () => {
    const ada = await openOwner();
    const wrong = { legalName: ' ', registrationNumber: '', country: 'Britain' };
    expect(refusalOf(await ada.own('POST', '/verification', wrong))).toMatchObject({
      code: 400,
      fields: ['country', 'legalName', 'registrationNumber'],
    });
  });

  test('is submitted by owners and shown to members', async () => {
    const [ada, bob] = [await openOwner(), await openOwner()];
    await joinBusiness(platform, bob, ada.businessId, 'developer');
    const theirs = `/businesses/${ada.businessId}`;
    expect((await bob.call('GET', theirs)).status).toBe(200);
    expect((await bob.call('POST', `${theirs}/verification`, facts)).status).toBe(403);
  });
});

test('a business of others is not found', async () => {
  const [ada, eve] = [await openOwner(), await openOwner()];
  const theirs = `/businesses/${ada.businessId}`;
  expect((await eve.call('GET', theirs)).status).toBe(404);
  expect((await eve.call('POST', `${theirs}/verification`, facts)).status).toBe(404);
});

test('while business-service is down, the rest is shown, and a submission is refused with 503', async () => {
  const ada = await openOwner();
  const [business] = platform.businesses;
  await business?.stop();
  try {
    const response = await ada.own('GET', '');
    expect([response.status, response.json()]).toEqual([
      200,
      { id: String(ada.businessId), record: null, verification: null },
    ]);
    expect((await ada.own('GET', '/team')).status).toBe(200);
    const submitted = await ada.own('POST', '/verification', facts);
    expect([submitted.status, submitted.headers['retry-after']]).toEqual([503, '2']);
  } finally {
    await business?.start();
    await untilBusinessIsBack(platform);
  }
  expect((await ada.own('POST', '/verification', facts)).status).toBe(204);
});
