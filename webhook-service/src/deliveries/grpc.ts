import {
  type AttemptMessage,
  type DeliveryMessage,
  type DeliveryStatusMessage,
  deliveryService,
} from '@platform/protos/webhook';
import { type GrpcService, grpcService } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/input/validation.ts';
import { cutPage, decodeCursor, encodeCursor } from '@platform/service-kit/values/pagination.ts';
import { z } from 'zod';
import { eventType } from '../endpoints/endpoint.ts';
import { endpointId, owner } from '../endpoints/grpc.ts';
import {
  type Attempt,
  type Delivery,
  type DeliveryStatus,
  deliveryNotFound,
  deliveryStatuses,
} from './delivery.ts';
import {
  type DeliveryDeps,
  drainDeliveries,
  recoverDeliveries,
  resendDelivery,
  sendTestEvent,
} from './operations.ts';
import type { DeliveryWatcher } from './watch.ts';

const statusMessages = {
  pending: 'DELIVERY_STATUS_PENDING',
  delivered: 'DELIVERY_STATUS_DELIVERED',
  failed: 'DELIVERY_STATUS_FAILED',
  skipped: 'DELIVERY_STATUS_SKIPPED',
  withdrawn: 'DELIVERY_STATUS_WITHDRAWN',
} as const satisfies Record<DeliveryStatus, DeliveryStatusMessage>;

const status = z.string().transform((message, context): DeliveryStatus => {
  const found = deliveryStatuses.find((name) => statusMessages[name] === message);
  if (found !== undefined) return found;
  context.addIssue({ code: 'custom', message: 'must be a state of deliveries' });
  return z.NEVER;
});

const maxTime = 253_402_300_799_999;

const optionalTime = z
  .int()
  .min(0)
  .max(maxTime)
  .transform((ms) => (ms === 0 ? undefined : new Date(ms)));

const cursorShape = /^(\d{1,15}) (dlv_[0-9A-Za-z]{20})$/;

const cursor = z.string().transform((text, context) => {
  if (text === '') return undefined;
  const [ms, id] = decodeCursor(text, cursorShape) ?? [];
  if (ms !== undefined && id !== undefined) return { createdAt: new Date(Number(ms)), id };
  context.addIssue({ code: 'custom', message: 'must be the next_cursor of a response' });
  return z.NEVER;
});

const listRequest = z
  .object({
    owner,
    endpointId: z.union([z.literal(''), endpointId]),
    types: z.array(z.string().max(100)).max(100),
    statuses: z.array(status),
    sinceUnixMs: optionalTime,
    untilUnixMs: optionalTime,
    limit: z.int().min(1).max(100),
    cursor,
  })
  .transform(({ endpointId, sinceUnixMs: since, untilUnixMs: until, cursor: after, ...rest }) => ({
    ...rest,
    endpointId: endpointId || undefined,
    since,
    until,
    after,
  }));

const deliveryRequest = z.object({
  owner,
  deliveryId: z.string().regex(/^dlv_[0-9A-Za-z]{20}$/, 'must be the identifier of a delivery'),
});

const drainRequest = z.object({ owner, endpointId });

const recoverRequest = drainRequest
  .extend({ sinceUnixMs: z.int().min(0).max(maxTime) })
  .transform(({ sinceUnixMs, ...rest }) => ({ ...rest, since: new Date(sinceUnixMs) }));

const watchRequest = z.object({ owner });

const maxTestData = 18_000;

/** An example event for an endpoint. */
export const testRequest = z.object({
  owner,
  endpointId,
  type: eventType,
  data: z
    .string()
    .max(maxTestData, `must have at most ${maxTestData} characters`)
    .transform((text) => text || '{}')
    .refine(isJsonObject, 'must be the JSON text of an object'),
});

/** webhook.v1.DeliveryService over the operations of deliveries/. */
export function createDeliveryService(
  deps: DeliveryDeps,
  { watch }: Pick<DeliveryWatcher, 'watch'>,
): GrpcService {
  return grpcService<typeof deliveryService, 'WatchDeliveries'>(
    deliveryService,
    {
      ListDeliveries: async (request) => {
        const filter = parseRequest(listRequest, request);
        const found = await deps.deliveries.list({ ...filter, limit: filter.limit + 1 });
        const { entries, last } = cutPage(found, filter.limit);
        return {
          deliveries: entries.map(deliveryMessage),
          nextCursor: last === undefined ? '' : encodeCursor(`${last.createdAt.getTime()} ${last.id}`),
        };
      },
      GetDelivery: async (request) => {
        const { owner, deliveryId } = parseRequest(deliveryRequest, request);
        const found = await deps.deliveries.find(owner, deliveryId);
        if (found === undefined) throw deliveryNotFound();
        const { delivery, body, attempts } = found;
        return { delivery: deliveryMessage(delivery), body, attempts: attempts.map(attemptMessage) };
      },
      ResendDelivery: async (request) => ({
        delivery: deliveryMessage(await resendDelivery(deps, parseRequest(deliveryRequest, request))),
      }),
      RecoverDeliveries: async (request) => ({
        deliveries: await recoverDeliveries(deps, parseRequest(recoverRequest, request)),
      }),
      DrainDeliveries: async (request) => ({
        deliveries: await drainDeliveries(deps, parseRequest(drainRequest, request)),
      }),
      SendTestEvent: async (request) => ({
        delivery: deliveryMessage(await sendTestEvent(deps, parseRequest(testRequest, request))),
      }),
    },
    {
      WatchDeliveries: async function* (request, { signal }) {
        const { owner } = parseRequest(watchRequest, request);
        for await (const _ of watch(owner, signal)) yield {};
      },
    },
  );
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function deliveryMessage(delivery: Delivery): DeliveryMessage {
  const { status, nextAttemptAt, createdAt, finishedAt, ...rest } = delivery;
  return {
    ...rest,
    status: statusMessages[status],
    nextAttemptAtUnixMs: nextAttemptAt?.getTime() ?? 0,
    createdAtUnixMs: createdAt.getTime(),
    finishedAtUnixMs: finishedAt?.getTime() ?? 0,
  };
}

function attemptMessage({ startedAt, status, errorCode, ...attempt }: Attempt): AttemptMessage {
  const { number, durationMs, outcome, responseStart } = attempt;
  return {
    number,
    durationMs,
    outcome,
    responseStart,
    startedAtUnixMs: startedAt.getTime(),
    status: status ?? 0,
    errorCode: errorCode ?? '',
  };
}
