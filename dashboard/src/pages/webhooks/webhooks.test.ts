import { expect, test } from '@jest/globals';
import { type Endpoint, healthOf } from './health.ts';

const healthy: Endpoint = {
  id: 'whe_1',
  url: 'https://shop.example/hook',
  description: '',
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
};
const at = '2026-11-20T10:00:00.000Z';

test.each<[Partial<Endpoint>, string]>([
  [{}, 'Healthy'],
  [{ lastSuccessAt: null }, 'No delivery yet'],
  [{ failingSince: at }, 'Failing'],
  [{ failingSince: at, pausedUntil: at }, 'Not reachable'],
  [{ enabled: false, disabledReason: 'owner', failingSince: at }, 'Disabled'],
  [{ enabled: false, disabledReason: 'gone' }, 'Disabled: the receiver responded with 410'],
  [{ enabled: false, disabledReason: 'failing' }, 'Disabled: only failures for five days'],
])('%j is "%s"', (change, label) => {
  expect(healthOf({ ...healthy, ...change }).label).toBe(label);
});
