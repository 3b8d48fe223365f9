import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { DeliveryPlan } from './plan.ts';
import { type Feed, FeedReader } from './reader.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const businessId = 7;

const event = {
  ...{ id: 'evt_1', type: 'order.created', createdAt: new Date(), sequence: 1, data: '{}' },
  ...{ uniqueId: 'biz_1', applicationId: '', traceparent: '' },
};

/** The stream of heads says nothing until the reader stops. */
async function* silence(signal: AbortSignal): AsyncGenerator<never> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

/** A reader of a feed with one event, whose database is at `nowMs` for each list of heads. */
function startReader(nowMs: number, listSubscriptions: () => Promise<[]>) {
  let read = 0;
  const listHeads = jest.fn<Feed['listHeads']>(async () => {
    return { heads: [{ businessId, lastSequence: 1 }], nextPageToken: '', nowMs };
  });
  const readEvents = jest.fn<Feed['readEvents']>(async () => ({ events: [event], lastSequence: 1 }));
  const reader = new FeedReader({
    feed: { listHeads, readEvents, watchHeads: silence },
    store: {
      progress: async () => ({ sequence: read, lastByType: {}, erasures: 0 }),
      sequences: async () => new Map([[businessId, read]]),
      hasEndpoints: async () => true,
      endpoints: async () => [],
      advance: async ({ to }) => {
        read = to;
        return true;
      },
    },
    listSubscriptions,
    wake: async () => undefined,
    onErasure: () => undefined,
    logger: createLogger({ service: 'webhook-service', level: 'silent' }),
    listEveryMs: 10_000,
  });
  return { reader, listHeads, readEvents };
}

test('heads are listed by the clock of their database, regardless of the local clock', async () => {
  const nowMs = Date.UTC(2026, 10, 20);
  const { reader, listHeads } = startReader(nowMs, async () => []);
  await jest.advanceTimersByTimeAsync(15_000);
  expect(listHeads.mock.calls.slice(0, 2)).toEqual([
    [0, ''],
    [nowMs - 60_000, ''],
  ]);
  await reader.stop();
});

test('while identity-service is away, a batch is read less and less often; then it is stored', async () => {
  const listSubscriptions = jest.fn<() => Promise<[]>>();
  listSubscriptions.mockRejectedValue(new AppError('unavailable', 'grpc_unavailable', 'no response'));
  const { reader, readEvents } = startReader(0, listSubscriptions);
  await jest.advanceTimersByTimeAsync(600_000);
  // Pauses of 1, 2, 4, 8, 16 and then 30 seconds.
  expect(readEvents.mock.calls.length).toBeGreaterThan(20);
  expect(readEvents.mock.calls.length).toBeLessThan(30);
  expect(reader.behind).toBe(1);
  listSubscriptions.mockResolvedValue([]);
  await jest.advanceTimersByTimeAsync(30_000);
  expect(reader.behind).toBe(0);
  await reader.stop();
});

test('a batch has no more deliveries than one statement can store, regardless of the number of endpoints', async () => {
  const [count, receivers] = [100, 1_000];
  const events = Array.from({ length: count }, (_, index) => ({
    ...event,
    id: `evt_${index + 1}`,
    sequence: index + 1,
  }));
  const endpoints = Array.from({ length: receivers }, (_, index) => ({
    ...{ id: `whe_${index}`, owner: { businessId, applicationId: '' }, url: '', description: '', events: [] },
    ...{ sealedSecrets: new Uint8Array(), enabled: true, disabledReason: null, disabledAt: null },
    ...{ createdAt: new Date(0), updatedAt: new Date(0), failingSince: null, lastSuccessAt: null },
    ...{ consecutiveOutages: 0, pausedUntil: null, madeBy: null },
  }));
  const batches: DeliveryPlan[] = [];
  let read = 0;
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const reader = new FeedReader({
    feed: {
      listHeads: async () => ({ heads: [{ businessId, lastSequence: count }], nextPageToken: '', nowMs: 0 }),
      readEvents: async (_, after) => ({ events: events.slice(after), lastSequence: count }),
      watchHeads: silence,
    },
    store: {
      progress: async () => ({ sequence: read, lastByType: {}, erasures: 0 }),
      sequences: async () => new Map([[businessId, read]]),
      hasEndpoints: async () => true,
      endpoints: async () => endpoints,
      advance: async ({ to, plan }) => {
        batches.push(plan);
        read = to;
        if (read === count) resolve();
        return true;
      },
    },
    listSubscriptions: async () => [],
    wake: async () => undefined,
    onErasure: () => undefined,
    logger: createLogger({ service: 'webhook-service', level: 'silent' }),
    listEveryMs: 10_000,
  });
  await done;
  await reader.stop();
  expect(Math.max(...batches.map(({ deliveries }) => deliveries.length))).toBeLessThanOrEqual(5_000);
  const due = batches.flatMap(({ deliveries }) => deliveries.map(({ eventId }) => eventId));
  expect([due.length, new Set(due).size]).toEqual([count * receivers, count]);
  expect(batches.at(-1)?.lastByType).toEqual({ 'order.created': count });
});
