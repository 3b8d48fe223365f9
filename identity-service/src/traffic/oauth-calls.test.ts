import { expect, test } from '@jest/globals';
import type { OAuthCall } from './oauth-call-store.ts';
import { createOAuthCalls } from './oauth-calls.ts';

const clientOf = (digit: number) => `app_${String(digit).repeat(32)}`;

const call = (change: Partial<OAuthCall> = {}): OAuthCall => ({
  requestId: 'r',
  at: 0,
  ms: 1,
  endpoint: 'token',
  method: 'POST',
  status: 401,
  reason: 'client_secret_wrong',
  publicError: 'invalid_client: client authentication failed',
  clientIp: '192.0.2.1',
  userAgent: '',
  clientId: clientOf(1),
  isAuthenticated: false,
  secretLastFour: undefined,
  ...change,
});

const times = (count: number, run: () => void) => {
  for (let i = 0; i < count; i++) run();
};

function collect() {
  let dropped = 0;
  const calls = createOAuthCalls(() => dropped++);
  return { calls, dropped: () => dropped };
}

test('of strangers who name a client twenty calls a minute are listed, the others are counted', () => {
  const { calls, dropped } = collect();
  times(50, () => calls.record(call({ at: 59_999 })));
  calls.record(call({ at: 60_000 }));
  const { calls: listed, unlisted } = calls.take();
  expect(listed).toHaveLength(21);
  expect([...unlisted]).toEqual([[clientOf(1), { at: 59_999, requests: 30 }]]);
  expect(dropped()).toBe(30);
  expect(calls.take()).toEqual({ calls: [], unlisted: new Map() });
});

test('strangers hide neither the calls of the client itself nor those of another one', () => {
  const { calls } = collect();
  times(50, () => calls.record(call()));
  times(30, () => calls.record(call({ isAuthenticated: true, reason: 'code_used' })));
  calls.record(call({ clientId: clientOf(2) }));
  const { calls: listed } = calls.take();
  expect(listed.filter(({ isAuthenticated }) => isAuthenticated)).toHaveLength(30);
  expect(listed.at(-1)).toMatchObject({ clientId: clientOf(2) });
});

test('the total between two rounds is bounded', () => {
  const { calls, dropped } = collect();
  times(1_200, () => calls.record(call({ clientId: undefined })));
  const { calls: listed, unlisted } = calls.take();
  expect([listed.length, unlisted.size, dropped()]).toEqual([1_000, 0, 200]);
});
