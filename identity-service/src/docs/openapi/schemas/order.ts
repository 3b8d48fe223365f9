const date = (description: string) => ({ type: 'string', format: 'date-time', description });

const dateOrNull = (description: string) => ({ ...date(description), type: ['string', 'null'] });

export const orderStatuses = ['pending', 'paid', 'fulfilled', 'cancelled'];

export const orderSchemas = {
  OrderStatus: {
    type: 'string',
    enum: orderStatuses,
    description:
      '`pending` can become `paid` or `cancelled`, `paid` can become `fulfilled` or `cancelled`; these two are the end.',
  },
  Order: {
    type: 'object',
    required: [
      ...['id', 'number', 'status', 'currency', 'line_items', 'total', 'customer', 'metadata'],
      ...['created_at', 'updated_at', 'paid_at', 'fulfilled_at', 'cancelled_at'],
    ],
    properties: {
      id: { type: 'string', description: '`ord_…`. It never changes.' },
      number: { type: 'integer', minimum: 1001, description: 'Counts up by one per business, without gaps.' },
      status: { $ref: '#/components/schemas/OrderStatus' },
      currency: { type: 'string', description: 'ISO 4217.' },
      line_items: { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/LineItem' } },
      total: { type: 'integer', minimum: 0, description: 'Sum of the line items, in minor units.' },
      customer: { $ref: '#/components/schemas/Customer' },
      metadata: { type: 'object', additionalProperties: { type: 'string' } },
      created_at: date('RFC 3339, in UTC.'),
      updated_at: date('Changes with every change of the order.'),
      paid_at: dateOrNull('Null until it happens.'),
      fulfilled_at: dateOrNull('Null until it happens.'),
      cancelled_at: dateOrNull('Null until it happens.'),
    },
  },
  LineItem: {
    type: 'object',
    required: ['name', 'sku', 'quantity', 'unit_amount'],
    properties: {
      name: { type: 'string' },
      sku: { type: ['string', 'null'], description: 'Your own article number.' },
      quantity: { type: 'integer', minimum: 1 },
      unit_amount: { type: 'integer', minimum: 0, description: 'Price of one, in minor units.' },
    },
  },
  Customer: {
    type: 'object',
    required: ['name', 'email'],
    properties: { name: { type: 'string' }, email: { type: ['string', 'null'] } },
  },
  OrderPage: {
    type: 'object',
    required: ['data', 'next_cursor'],
    properties: {
      data: {
        type: 'array',
        items: { $ref: '#/components/schemas/Order' },
        description: 'Newest first.',
      },
      next_cursor: {
        type: ['string', 'null'],
        description: 'Goes into `cursor` for the next page; null on the last one. Its content may change.',
      },
    },
  },
};

export const orderExample = {
  id: 'ord_8yQ2mZ0sVb6kTn4cXr1H',
  number: 1001,
  status: 'pending',
  currency: 'EUR',
  line_items: [{ name: 'Tea', sku: 'T-1', quantity: 2, unit_amount: 450 }],
  total: 900,
  customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
  metadata: { channel: 'web' },
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
  paid_at: null,
  fulfilled_at: null,
  cancelled_at: null,
};
