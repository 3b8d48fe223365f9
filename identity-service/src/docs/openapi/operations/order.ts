import { common, counted, entityTag } from '../headers.ts';
import { json, jsonOf, parameter, response, schema } from '../refs.ts';
import { errorExample, errorSchema } from '../schemas/errors.ts';
import { orderExample } from '../schemas/order.ts';
import { bearerWith } from '../security-schemes.ts';
import { bodyRefusals, refusals } from './refusals.ts';

const paid = {
  ...orderExample,
  status: 'paid',
  updated_at: '2026-11-21T09:45:00.000Z',
  paid_at: '2026-11-21T09:45:00.000Z',
};

const forbiddenStep = 'An order that is fulfilled cannot become paid';

const read = {
  operationId: 'getOrder',
  tags: ['Orders'],
  summary: 'One order',
  description: "Another business's order is 404, like one that never was. Needs the scope `orders:read`.",
  security: bearerWith('orders:read'),
  parameters: [parameter('IfNoneMatch')],
  responses: {
    200: {
      description: 'The order.',
      headers: { ...counted(), ...entityTag },
      content: json(schema('Order'), orderExample),
    },
    ...refusals,
    304: response('NotModified'),
    404: response('OrderNotFound'),
    412: response('PreconditionFailed'),
  },
};

const change = {
  operationId: 'changeOrder',
  tags: ['Orders'],
  summary: 'Change an order',
  description:
    'Changes status, customer or metadata; what is absent stays. Asking for the status that the order has is no change. ' +
    'Needs the scope `orders:write`.',
  security: bearerWith('orders:write'),
  parameters: [parameter('IfMatch')],
  requestBody: {
    required: true,
    content: jsonOf(schema('OrderChange'), {
      'It was paid': { status: 'paid' },
      'Set one entry, remove another': { metadata: { parcel: 'P-7', channel: null } },
    }),
  },
  responses: {
    200: {
      description: 'The order as it is now.',
      headers: { ...counted(), ...entityTag },
      content: json(schema('Order'), paid),
    },
    ...refusals,
    ...bodyRefusals,
    404: response('OrderNotFound'),
    409: {
      description: 'The order cannot take this step. Nothing was changed.',
      headers: common,
      content: json(errorSchema(409), errorExample(409, forbiddenStep)),
    },
    412: response('PreconditionFailed'),
  },
};

export const order = { parameters: [parameter('OrderId')], get: read, patch: change };
