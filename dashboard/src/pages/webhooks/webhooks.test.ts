import { expect, test } from '@jest/globals';
import {
  alertOf,
  type Endpoint,
  healthOf,
  missedSince,
  nextAttemptOf,
  shortUrl,
  shownRecovery,
  successRate,
} from './health.ts';

const healthy: Endpoint = {
  id: 'whe_1',
  url: 'https://shop.example/hook',
  description: '',
  maker: null,
  withheld: [],
  events: [],
  enabled: true,
  disabledReason: null,
  disabledAt: null,
  createdAt: '2026-11-20T09:30:00.000Z',
  updatedAt: '2026-11-20T09:30:00.000Z',
  failingSince: null,
  lastSuccessAt: '2026-11-20T09:45:00.000Z',
  pausedUntil: null,
  oldSecretEndsAt: null,
  pending: 0,
  nextAttemptAt: null,
  recovery: null,
  recent: { attempts: 10, successes: 10, p95Ms: 12, lastOutcome: 'delivered', lastStatus: 204 },
};
const at = '2026-11-20T10:00:00.000Z';
const failing = (lastOutcome: string, lastStatus: number | null) => ({
  failingSince: at,
  recent: { ...healthy.recent, lastOutcome, lastStatus },
});

test.each<[Partial<Endpoint>, string]>([
  [{}, 'Healthy'],
  [{ lastSuccessAt: null }, 'No delivery yet'],
  [{ failingSince: at }, 'Failing'],
  [failing('refused', 500), 'Failing (500)'],
  [{ ...failing('refused', 500), pausedUntil: at }, 'Failing (500)'],
  [{ ...failing('connection_failed', null), pausedUntil: at }, 'Failing (no connection)'],
  [failing('tls_failed', null), 'Failing (TLS failed)'],
  [{ recent: { ...healthy.recent, attempts: 7, successes: 1 } }, 'Unstable'],
  [{ enabled: false, disabledReason: 'owner', failingSince: at }, 'Disabled'],
  [{ enabled: false, disabledReason: 'gone' }, 'Disabled'],
  [{ enabled: false, disabledReason: 'failing' }, 'Disabled'],
])('%j is "%s"', (change, label) => {
  expect(healthOf({ ...healthy, ...change }).label).toBe(label);
});

test.each<[Partial<Endpoint>, unknown]>([
  [{}, undefined],
  [{ failingSince: '2026-11-20T09:00:01.000Z' }, undefined],
  [
    { failingSince: '2026-11-20T09:00:00.000Z' },
    { kind: 'failing', since: '2026-11-20T09:00:00.000Z', disabledAt: '2026-11-25T09:00:00.000Z' },
  ],
  [{ enabled: false, disabledReason: 'owner', failingSince: '2026-11-19T10:00:00.000Z' }, undefined],
  [
    { enabled: false, disabledReason: 'gone', disabledAt: at },
    { kind: 'disabled', reason: 'gone', at },
  ],
])('an endpoint with %j has the alert %j', (change, alert) => {
  expect(alertOf({ ...healthy, ...change }, Date.parse(at))).toEqual(alert);
});

test('missed deliveries are counted from an hour before the first failure, or before the endpoint was disabled', () => {
  expect(missedSince(healthy)).toBeUndefined();
  expect(missedSince({ ...healthy, disabledAt: at })).toBe('2026-11-20T09:00:00.000Z');
  const failingSince = '2026-11-19T10:00:00.000Z';
  expect(missedSince({ ...healthy, failingSince, disabledAt: at })).toBe('2026-11-19T09:00:00.000Z');
});

test.each([
  [0, 0, 'No attempts'],
  [1, 0, '0% of 1 attempt succeeded'],
  [1, 1, '100% of 1 attempt succeeded'],
  [1_000, 999, '99.9% of 1,000 attempts succeeded'],
  [100_000, 99_999, '99.9% of 100,000 attempts succeeded'],
])('the success rate of %i attempts with %i successes is "%s"', (attempts, successes, text) => {
  expect(successRate({ attempts, successes })).toBe(text);
});

test('a recovery is shown while it runs, and for an hour after its start once it has ended', () => {
  const recovery = { since: at, createdAt: at, total: 3, sent: 2 };
  const [soon, later] = [Date.parse(at) + 3_599_999, Date.parse(at) + 3_600_000];
  expect(shownRecovery(healthy, soon)).toBeNull();
  expect(shownRecovery({ ...healthy, recovery }, later)).toEqual(recovery);
  const ended = { ...recovery, sent: 3 };
  expect(shownRecovery({ ...healthy, recovery: ended }, soon)).toEqual(ended);
  expect(shownRecovery({ ...healthy, recovery: ended }, later)).toBeNull();
});

test.each<[string | null, string | null | undefined, string | null]>([
  [null, null, null],
  [null, '2026-11-20T10:05:00.000Z', null],
  [at, undefined, at],
  [at, null, at],
  [at, '2026-11-20T09:05:00.000Z', at],
  [at, '2026-11-20T10:05:00.000Z', '2026-11-20T10:05:00.000Z'],
])('a delivery of %s to an endpoint whose next attempt is %s is sent at %s', (own, endpoints, sent) => {
  const endpoint = endpoints === undefined ? undefined : { nextAttemptAt: endpoints };
  expect(nextAttemptOf({ nextAttemptAt: own }, endpoint)).toBe(sent);
});

test.each([
  ['https://shop.example/', 'shop.example'],
  ['http://127.0.0.1:8080/hook?token=1', '127.0.0.1:8080/hook'],
  [`https://shop.example/${'a'.repeat(40)}/till`, 'shop.example/aaaaaaaaaaaaaaaaa…aaaaaaaaaaaaaa/till'],
])('%s is shown as %s', (url, text) => {
  expect(shortUrl({ url })).toBe(text);
});
