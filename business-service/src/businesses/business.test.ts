import { describe, expect, test } from '@jest/globals';
import { businessId } from '../values.ts';
import {
  approveVerification,
  type Business,
  banBusiness,
  businessDraft,
  legalFacts,
  rejectVerification,
  submitVerification,
  unbanBusiness,
  updateRecord,
  type VerificationStatus,
} from './business.ts';

const draft = { accountHolder: 'Tea Ltd', username: 'tea', logo: '', creationKey: '', isSandbox: false };

describe('a new business is refused with', () => {
  test.each([
    ['no name', { ...draft, accountHolder: '' }],
    ['a name that is too long', { ...draft, accountHolder: 'x'.repeat(201) }],
    ['a short username', { ...draft, username: 'ab' }],
    ['a long username', { ...draft, username: `a${'b'.repeat(32)}` }],
    ['a username that starts with a digit', { ...draft, username: '1tea' }],
    ['a username in capitals', { ...draft, username: 'Tea' }],
    ['a logo over http', { ...draft, logo: 'http://example.com/logo.png' }],
    ['a logo that is a script', { ...draft, logo: 'javascript:alert(1)' }],
  ])('%s', (_, input) => {
    expect(businessDraft.safeParse(input).success).toBe(false);
  });
});

test('a logo is an https URL, one on this machine, or absent', () => {
  expect(businessDraft.safeParse({ ...draft, logo: 'http://localhost:8080/logos/a.png' }).success).toBe(true);
  expect(businessDraft.safeParse(draft).success).toBe(true);
  expect(businessDraft.safeParse({ ...draft, logo: 'https://example.com/logo.png' }).success).toBe(true);
});

test('a country is two capitals', () => {
  const facts = { legalName: 'Tea Ltd', registrationNumber: '42', country: 'GB' };
  expect(legalFacts.safeParse(facts).success).toBe(true);
  expect(legalFacts.safeParse({ ...facts, country: 'gbr' }).success).toBe(false);
});

test.each([
  { legalName: ' ' },
  { legalName: 'x'.repeat(201) },
  { country: 'ZZ' },
  { country: 'UK' },
  { registrationNumber: 'none' },
  { registrationNumber: '1'.repeat(51) },
])('legal facts with %j are refused', (change) => {
  expect(legalFacts.safeParse(facts).success).toBe(true);
  expect(legalFacts.safeParse({ ...facts, ...change }).success).toBe(false);
});

test('an id beyond 32 bits is refused', () => {
  expect(businessId.safeParse(2_147_483_647).success).toBe(true);
  expect(businessId.safeParse(2_147_483_648).success).toBe(false);
  expect(businessId.safeParse(0).success).toBe(false);
});

const now = new Date('2026-03-02T10:00:00Z');

const facts = { legalName: 'Tea Ltd', registrationNumber: '42', country: 'GB' };

function business(status: VerificationStatus, isBanned = false): Business {
  return {
    id: 1,
    uniqueId: 'biz_1',
    accountHolder: 'Tea',
    logo: '',
    username: 'tea',
    isBanned,
    createdAt: new Date(0),
    usernameChangeableAt: null,
    verification: {
      status,
      legalName: null,
      registrationNumber: null,
      country: null,
      submittedAt: null,
      decidedAt: null,
      rejectionReason: null,
    },
  };
}

const steps = {
  submit: submitVerification(facts),
  approve: approveVerification(undefined),
  reject: rejectVerification('illegible', undefined),
};

describe('verification', () => {
  test.each([
    ['unverified', ['submit']],
    ['pending', ['approve', 'reject']],
    ['verified', []],
    ['rejected', ['submit']],
  ] as const)('that is %s can take the steps %j only', (status, possible) => {
    const changed = Object.entries(steps).filter(
      ([, step]) => step(business(status), now).kind === 'changed',
    );
    expect(changed.map(([name]) => name)).toEqual(possible);
    const refused = Object.values(steps).map((step) => step(business(status), now));
    for (const change of refused.filter(({ kind }) => kind !== 'changed')) {
      expect(change).toEqual({ kind: 'refused', status });
    }
  });

  test('a submission stores the facts and clears the last decision', () => {
    const rejected = business('rejected');
    const before = {
      ...rejected,
      verification: { ...rejected.verification, rejectionReason: 'illegible', decidedAt: new Date(0) },
    };
    expect(steps.submit(before, now)).toMatchObject({
      event: 'business.verification_submitted',
      business: {
        verification: {
          ...facts,
          status: 'pending',
          submittedAt: now,
          decidedAt: null,
          rejectionReason: null,
        },
      },
    });
  });

  test('a decision is about the submission that was read', () => {
    const pending = business('pending');
    const submitted = { ...pending, verification: { ...pending.verification, submittedAt: new Date(7) } };
    for (const decision of [approveVerification, (at: number) => rejectVerification('illegible', at)]) {
      for (const other of [6, 0]) expect(decision(other)(submitted, now)).toEqual({ kind: 'resubmitted' });
      expect(decision(7)(submitted, now)).toMatchObject({ kind: 'changed' });
      expect(decision(6)(business('rejected'), now)).toEqual({ kind: 'refused', status: 'rejected' });
    }
  });

  test('a decision has its date, and a rejection its reason', () => {
    expect(steps.approve(business('pending'), now)).toMatchObject({
      event: 'business.verified',
      business: { verification: { status: 'verified', decidedAt: now, rejectionReason: null } },
    });
    expect(steps.reject(business('pending'), now)).toMatchObject({
      event: 'business.verification_rejected',
      business: { verification: { status: 'rejected', decidedAt: now, rejectionReason: 'illegible' } },
    });
  });
});

test('a ban is recorded as an event, and repeating it is not', () => {
  expect(banBusiness(business('verified'), now)).toMatchObject({
    kind: 'changed',
    event: 'business.banned',
    business: { isBanned: true },
  });
  expect(banBusiness(business('verified', true), now).kind).toBe('unchanged');
  expect(unbanBusiness(business('verified', true), now)).toMatchObject({
    kind: 'changed',
    event: 'business.unbanned',
    business: { isBanned: false },
  });
  expect(unbanBusiness(business('verified'), now).kind).toBe('unchanged');
});

describe('the record', () => {
  const days = (count: number) => new Date(now.getTime() + count * 86_400_000);

  test('takes a new name and logo at any time, and unchanged values record no event', () => {
    const changed = updateRecord({ accountHolder: 'Coffee', logo: 'https://example.com/a.png' });
    expect(changed(business('pending'), now)).toMatchObject({
      kind: 'changed',
      event: 'business.updated',
      business: { accountHolder: 'Coffee', logo: 'https://example.com/a.png', username: 'tea' },
    });
    expect(
      updateRecord({ accountHolder: 'Tea', username: 'tea', logo: '' })(business('pending'), now).kind,
    ).toBe('unchanged');
  });

  test('takes a new username once in 30 days', () => {
    const renamed = updateRecord({ username: 'coffee' })(business('verified'), now);
    expect(renamed).toMatchObject({ business: { username: 'coffee', usernameChangeableAt: days(30) } });
    const again = { ...business('verified'), usernameChangeableAt: days(30) };
    const change = updateRecord({ accountHolder: 'Coffee', username: 'coffee' });
    expect(change(again, new Date(days(30).getTime() - 1))).toEqual({
      kind: 'username_locked',
      until: days(30),
    });
    expect(change(again, days(30))).toMatchObject({
      kind: 'changed',
      business: { accountHolder: 'Coffee', usernameChangeableAt: days(60) },
    });
    expect(updateRecord({ accountHolder: 'Coffee', username: 'tea' })(again, now).kind).toBe('changed');
  });

  test('stays as it is during a ban', () => {
    for (const changes of [
      { accountHolder: 'Coffee' },
      { logo: 'https://example.com/a.png' },
      { logo: '', accountHolder: 'Coffee' },
    ]) {
      expect(updateRecord(changes)(business('verified', true), now).kind).toBe('banned');
    }
  });

  test('can lose its logo during a ban', () => {
    const banned = { ...business('verified', true), logo: 'https://example.com/a.png' };
    expect(updateRecord({ logo: '' })(banned, now)).toMatchObject({
      kind: 'changed',
      business: { logo: '' },
    });
  });
});
