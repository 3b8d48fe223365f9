import { expect, test } from '@jest/globals';
import { unusedAdvice } from './connections.ts';

const now = Date.UTC(2026, 10, 21);

const day = 86_400_000;

const used = { scope: 'orders:read', used: true, lastUsedAt: null } as const;

const unused = { scope: 'orders:write', used: false, lastUsedAt: null } as const;

const approved = (daysAgo: number) => new Date(now - daysAgo * day).toISOString();

test.each([
  ['everything is used', { scopes: [used], approvedAt: approved(30) }, undefined],
  ['it is new', { scopes: [used, unused], approvedAt: approved(6.9) }, undefined],
  ['something is not used', { scopes: [used, unused], approvedAt: approved(7) }, /Ask the publisher/],
  ['nothing is used', { scopes: [unused], approvedAt: approved(8) }, /Disconnect it/],
])('unused scopes lead to the right advice when %s', (_, app, advice) => {
  if (advice === undefined) expect(unusedAdvice(app, now)).toBeUndefined();
  else expect(unusedAdvice(app, now)).toMatch(advice);
});
