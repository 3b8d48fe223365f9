import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import type { Warning } from './endpoint.ts';
import { startWarnings } from './warning.ts';
import type { WarningStore } from './warning-store.ts';

const warningOf = (endpointId: string): Warning => ({
  endpointId,
  owner: { businessId: 1, applicationId: '' },
  url: 'https://receiver.example/hook',
  step: 'failing',
  since: new Date(0),
  disabledAt: new Date(0),
});

test('owners of an endpoint that recovers while others are being warned get no warning', async () => {
  const failing = ['whe_1', 'whe_2'];
  const store: WarningStore = {
    take: async (limit) => failing.splice(0, limit).map(warningOf),
    setWarned: async () => undefined,
  };
  const warned: string[] = [];
  const warnOwners = async ({ endpointId }: Warning) => {
    warned.push(endpointId);
    failing.length = 0;
    return true;
  };
  const logger = createLogger({ service: 'webhook-service', level: 'silent' });
  const { stop } = startWarnings({ store, warnOwners, logger, intervalMs: 3_600_000 });
  await setImmediate();
  await stop();
  expect(warned).toEqual(['whe_1']);
});
