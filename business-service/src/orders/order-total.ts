import type { LineItem } from './order.ts';

/** Sum of quantity times unit amount, in minor units; undefined when it is too large to be an exact number. */
export function orderTotal(
  lineItems: readonly Pick<LineItem, 'quantity' | 'unitAmount'>[],
): number | undefined {
  const total = lineItems.reduce((sum, { quantity, unitAmount }) => sum + quantity * unitAmount, 0);
  return Number.isSafeInteger(total) ? total : undefined;
}
