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
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'Tags that you have: 304 without a body when the record is still in one of these states. Counts as a request.',
    schema: { type: 'string' },
    example: '"4rGkM2c1o0Xw"',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'Tags of states that you want to change: 412 when the record is in another one, and nothing is changed. Without it ' +
      'the change is made in any state.',
    schema: { type: 'string' },
    example: '"4rGkM2c1o0Xw"',
  },
  RefreshIdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'For a refresh: the same request with the same key gets the same pair again, for 60 seconds. For an answer that got lost.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
};
