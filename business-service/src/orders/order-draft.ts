import { z } from 'zod';
import { textField } from '../text-field.ts';
import type { OrderDraft } from './order.ts';
import { currencyField, emailField, metadataField, metadataValue } from './order-fields.ts';
import { orderTotal } from './order-total.ts';

const lineItem = z
  .strictObject({
    name: textField(200),
    sku: textField(100).nullish(),
    quantity: z.int('must be a whole number').min(1).max(1_000_000),
    unit_amount: z.int('must be a whole number of minor units').min(0).max(999_999_999_999),
  })
  .transform(({ unit_amount: unitAmount, sku, ...rest }) => ({ ...rest, unitAmount, sku: sku ?? null }));

const customer = z
  .strictObject({ name: textField(200), email: emailField.nullish() })
  .transform(({ name, email }) => ({ name, email: email ?? null }));

/** Body of POST /order. */
export const orderDraftBody = z
  .strictObject({
    currency: currencyField,
    line_items: z
      .array(lineItem)
      .min(1, 'must have at least one entry')
      .max(100, 'must have at most 100 entries')
      .refine((items) => orderTotal(items) !== undefined, 'add up to more than can be counted'),
    customer,
    metadata: metadataField(metadataValue).default({}),
  })
  .transform(({ line_items: lineItems, ...rest }): OrderDraft => ({ ...rest, lineItems }));
