import { common, counted, entityTag, location } from '../headers.ts';
import { json, parameter, schema } from '../refs.ts';
import { errorExample, errorSchema } from '../schemas/errors.ts';
import { orderExample } from '../schemas/order.ts';
import { newOrderExample } from '../schemas/order-input.ts';
import { bearerWith } from '../security-schemes.ts';
import { bodyRefusals, refusals } from './refusals.ts';

const date = (name: string, description: string) => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', format: 'date-time' },
});

const list = {
  operationId: 'listOrders',
  tags: ['Orders'],
  summary: 'Orders, newest first',
  description:
    'A page of orders. For the next page send `next_cursor` as `cursor`, with the same filters. New orders never move a ' +
    'page. Needs the scope `orders:read`.',
  security: bearerWith('orders:read'),
  parameters: [
    {
      name: 'limit',
      in: 'query',
      description: 'Orders on a page.',
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    },
    {
      name: 'cursor',
      in: 'query',
      description: '`next_cursor` of the page before.',
      schema: { type: 'string' },
    },
    { name: 'status', in: 'query', description: 'Only such orders.', schema: schema('OrderStatus') },
    date('created_from', 'Orders created at this moment or later.'),
    date('created_to', 'Orders created before this moment.'),
  ],
  responses: {
    200: {
      description: 'A page of orders.',
      headers: counted(),
      content: json(schema('OrderPage'), { data: [orderExample], next_cursor: null }),
    },
    ...refusals,
  },
};

const reused = 'This Idempotency-Key was used before with another body';

const create = {
  operationId: 'createOrder',
  tags: ['Orders'],
  summary: 'Create an order',
  description:
    'The order is `pending`. Send an `Idempotency-Key`, and repeat the request with it when no answer comes. Needs the ' +
    'scope `orders:write`.',
  security: bearerWith('orders:write'),
  parameters: [parameter('OrderIdempotencyKey')],
  requestBody: {
    required: true,
    content: json(schema('NewOrder'), newOrderExample),
  },
  responses: {
    201: {
      description: 'The order.',
      headers: { ...counted(), ...location('Path of the order.'), ...entityTag },
      content: json(schema('Order'), orderExample),
    },
    ...refusals,
    ...bodyRefusals,
    409: {
      description: 'The `Idempotency-Key` was used in the last 24 hours with another body.',
      headers: common,
      content: json(errorSchema(409, [reused]), errorExample(409, reused)),
    },
  },
};

export const orders = { get: list, post: create };
