import { expect, test } from '@jest/globals';
import { canBecome, orderStatuses } from './order-status.ts';

test('an order goes from pending to paid to fulfilled, or is cancelled on the way, and nowhere else', () => {
  const allowed = orderStatuses.flatMap((from) =>
    orderStatuses.filter((to) => canBecome(from, to)).map((to) => `${from} → ${to}`),
  );
  expect(allowed).toEqual(['pending → paid', 'pending → cancelled', 'paid → fulfilled', 'paid → cancelled']);
});
