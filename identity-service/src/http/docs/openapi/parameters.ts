export const parameters = {
  OrderId: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'Of the order: `ord_…`.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
    example: 'ord_8yQ2mZ0sVb6kTn4cXr1H',
  },
  OrderIdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a repetition safe: for 24 hours the same key with the same body gets the same answer, and creates nothing.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
  RefreshIdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'For a refresh: the same request with the same key gets the same pair again, for 60 seconds. For an answer that got lost.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
};
