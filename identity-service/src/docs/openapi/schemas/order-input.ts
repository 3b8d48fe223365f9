import { text, textOrNull } from './text.ts';

const metadataKey = { pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$' };

const metadataValue = { ...text(500), minLength: 0 };

const email = (description: string) => ({
  type: ['string', 'null'],
  format: 'email',
  maxLength: 254,
  description,
});

export const orderInputSchemas = {
  NewOrder: {
    type: 'object',
    required: ['currency', 'line_items', 'customer'],
    additionalProperties: false,
    properties: {
      currency: {
        type: 'string',
        pattern: '^[A-Z]{3}$',
        description: 'An active code of ISO 4217, such as EUR.',
      },
      line_items: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        items: { $ref: '#/components/schemas/NewLineItem' },
      },
      customer: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: { name: text(200), email: email('May be left out.') },
      },
      metadata: {
        type: 'object',
        maxProperties: 50,
        propertyNames: metadataKey,
        additionalProperties: metadataValue,
        description: 'Whatever you want to find again.',
      },
    },
  },
  NewLineItem: {
    type: 'object',
    required: ['name', 'quantity', 'unit_amount'],
    additionalProperties: false,
    properties: {
      name: text(200),
      sku: textOrNull(100, 'Your own article number. May be left out.'),
      quantity: { type: 'integer', minimum: 1, maximum: 1_000_000 },
      unit_amount: {
        type: 'integer',
        minimum: 0,
        maximum: 999_999_999_999,
        description: 'Price of one, in minor units.',
      },
    },
  },
  OrderChange: {
    type: 'object',
    minProperties: 1,
    additionalProperties: false,
    description: 'What is absent stays, null removes (RFC 7396).',
    properties: {
      status: { $ref: '#/components/schemas/OrderStatus' },
      customer: {
        type: 'object',
        additionalProperties: false,
        properties: { name: text(200), email: email('Null removes it.') },
      },
      metadata: {
        type: 'object',
        maxProperties: 50,
        propertyNames: metadataKey,
        additionalProperties: { ...metadataValue, type: ['string', 'null'] },
        description: 'Entries to set, or with null to remove. The order ends up with 50 at most.',
      },
    },
  },
};

export const newOrderExample = {
  currency: 'EUR',
  line_items: [{ name: 'Tea', sku: 'T-1', quantity: 2, unit_amount: 450 }],
  customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
  metadata: { channel: 'web' },
};
