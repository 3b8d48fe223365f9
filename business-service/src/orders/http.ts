import { fitsEvent, maxRecordBytes } from '@platform/service-kit/values/event-body.ts';
import { randomId } from '@platform/service-kit/values/ids.ts';
import type { Request } from 'express';
import { z } from 'zod';
import { authorOf } from '../passport.ts';
import type { Instant } from '../values.ts';
import type { Endpoint } from '../web/endpoint.ts';
import { readBody, readPatch, readQuery } from '../web/input.ts';
import { InvalidRequest } from '../web/invalid-input.ts';
import {
  conditionalResponse,
  entityTag,
  preconditionFailed,
  readPreconditions,
} from '../web/preconditions.ts';
import { type ApiResponse, errorResponse, invalidResponse } from '../web/response.ts';
import { changeOrder, type OrderChange } from './change.ts';
import { fingerprint, isIdempotencyKey } from './idempotency.ts';
import { composeOrder, isOrderId, type Order, orderDraftBody, orderPatchBody } from './order.ts';
import { orderPage, orderQueryParameters } from './query.ts';
import { orderResource } from './resource.ts';
import type { OrderStore } from './store.ts';

/** GET /order */
export function listOrders(orders: OrderStore): Endpoint {
  return async ({ businessId }, req) => {
    const query = readQuery(orderQueryParameters, req);
    const page = orderPage(await orders.list(businessId, query), query);
    return { status: 200, body: { data: page.orders.map(orderResource), next_cursor: page.nextCursor } };
  };
}

/** POST /order */
export function postOrder(orders: OrderStore): Endpoint {
  return async (passport, req) => {
    const author = authorOf(passport);
    readQuery(noParameters, req);
    const key = readIdempotencyKey(req);
    const draft = await readBody(orderDraftBody, req);
    const idempotency = key === undefined ? undefined : { key, fingerprint: fingerprint(draft) };
    const outcome = await orders.insert(author, idempotency, ({ orderNumber: number, now }) =>
      composeOrder(draft, { id: randomId('ord'), businessId: author.businessId, number, now }),
    );
    if (outcome.kind === 'too_large') return orderTooLarge;
    if (outcome.kind === 'key_reused') {
      return errorResponse(409, 'This Idempotency-Key was used before with another body');
    }
    return {
      status: 201,
      body: outcome.resource,
      headers: {
        Location: `${prefixOf(req)}/order/${outcome.resource.id}`,
        ETag: entityTag(outcome.resource),
      },
    };
  };
}

/** GET /order/{id} */
export function getOrder(orders: OrderStore): Endpoint {
  return async ({ businessId }, req) => {
    readQuery(noParameters, req);
    const id = readOrderId(req);
    const order = id && (await orders.find(businessId, id));
    return order ? conditionalResponse(req, orderResource(order)) : orderNotFound;
  };
}

/** PATCH /order/{id} */
export function patchOrder(orders: OrderStore): Endpoint {
  return async (passport, req) => {
    readQuery(noParameters, req);
    const preconditions = readPreconditions(req);
    const patch = await readPatch(orderPatchBody, req);
    const id = readOrderId(req);
    const decide = (order: Order, now: Instant): OrderChange => {
      if (!preconditions.holds(entityTag(orderResource(order)), 'changing')) return { kind: 'stale' };
      const change = changeOrder(order, patch, now);
      // A change of the status alone is never refused: the order may be older than this limit.
      const grows = patch.customer !== undefined || patch.metadata !== undefined;
      return change.kind === 'changed' && grows && !fitsEvent(orderResource(change.order))
        ? { kind: 'too_large' }
        : change;
    };
    const change = id && (await orders.change(authorOf(passport), id, decide));
    if (!change) return orderNotFound;
    if (change.kind === 'stale') return preconditionFailed;
    if (change.kind === 'metadata_full') return metadataFull;
    if (change.kind === 'too_large') return orderTooLarge;
    if (change.kind === 'forbidden') {
      return errorResponse(409, `An order that is ${change.from} cannot become ${change.to}`);
    }
    const body = orderResource(change.order);
    return { status: 200, body, headers: { ETag: entityTag(body) } };
  };
}

const noParameters = z.strictObject({});

/** Its events are limited, since receivers get the whole order in each. */
const orderTooLarge = invalidResponse(
  { reason: 'invalid_body', field: '' },
  `the order is larger than ${maxRecordBytes / 1_000} kB as JSON`,
);

const metadataFull = invalidResponse(
  { reason: 'invalid_body', field: 'metadata' },
  'metadata: must have at most 50 entries',
);

const orderNotFound: ApiResponse = errorResponse(404, 'Order not found');

function readOrderId(req: Request): string | undefined {
  const { id } = req.params;
  return typeof id === 'string' && isOrderId(id) ? id : undefined;
}

function readIdempotencyKey(req: Request): string | undefined {
  const sent = req.headersDistinct['idempotency-key'] ?? [];
  const [key] = sent;
  if (key === undefined) return undefined;
  if (sent.length > 1 || !isIdempotencyKey(key)) {
    throw new InvalidRequest(
      { reason: 'invalid_header', field: 'Idempotency-Key' },
      'Idempotency-Key: must be given once, with 1 to 255 visible ASCII characters',
    );
  }
  return key;
}

/** Path prefix of this service at the gateway, for Location. */
function prefixOf(req: Request): string {
  const prefix = req.headers['x-forwarded-prefix'];
  return typeof prefix === 'string' && /^(\/[\w.-]+)+$/.test(prefix) ? prefix : '';
}
