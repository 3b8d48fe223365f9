import { expect, test } from '@jest/globals';
import { type OnRecord, stepsOf } from './step.ts';

const recent = { attempts: 1, successes: 1, p95Ms: 9, lastOutcome: 'delivered', lastStatus: 204 };

const ready: OnRecord = {
  redirectUris: ['https://shop.example/callback'],
  ipWhitelist: ['192.0.2.0/24', '2001:db8::1'],
  hasConnected: true,
  hasRefreshed: true,
  hasRevoked: true,
  hasExposedSecret: false,
  endpoints: [{ enabled: true, recent }],
};

const open = (change: Partial<OnRecord>) =>
  stepsOf({ ...ready, ...change }).flatMap(({ id, isDone }) => (isDone ? [] : id));

test.each<[string, Partial<OnRecord>]>([
  ['redirect_uri', { redirectUris: ['https://shop.example/', 'http://127.0.0.1/'] }],
  ['redirect_uri', { redirectUris: ['https://localhost:8443/callback'] }],
  ['whitelist', { ipWhitelist: ['192.0.2.1', '0.0.0.0/0'] }],
  ['whitelist', { ipWhitelist: ['::/0'] }],
  ['connection', { hasConnected: false }],
  ['refresh', { hasRefreshed: false }],
  ['revocation', { hasRevoked: false }],
  ['https', { hasExposedSecret: true }],
  [
    'webhooks',
    {
      endpoints: [
        { enabled: true, recent },
        { enabled: false, recent },
      ],
    },
  ],
  ['webhooks', { endpoints: [{ enabled: true, recent: { ...recent, lastOutcome: 'timed_out' } }] }],
  ['webhooks', { endpoints: [{ enabled: true, recent: { ...recent, lastOutcome: null } }] }],
])('the step %s is open for %j, and no other is', (id, change) => {
  expect(open(change)).toEqual([id]);
});

test('without an endpoint there is no step about webhooks, and all others can be done', () => {
  expect(open({})).toEqual([]);
  expect(stepsOf({ ...ready, endpoints: [] }).map(({ id }) => id)).not.toContain('webhooks');
  expect(open({ endpoints: [] })).toEqual([]);
});
