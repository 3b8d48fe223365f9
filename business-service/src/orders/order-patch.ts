import { z } from 'zod';
import { textField } from '../text-field.ts';
import { emailField, metadataField, metadataValue } from './order-fields.ts';
import { type OrderStatus, orderStatuses } from './order-status.ts';

/** A wanted change: what is absent stays, null removes (RFC 7396). */
export interface OrderPatch {
  readonly status?: OrderStatus | undefined;
  readonly customer?:
    | { readonly name?: string | undefined; readonly email?: string | null | undefined }
    | undefined;
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
}

/** Body of PATCH /order/{id}. */
export const orderPatchBody = z
  .strictObject({
    status: z.enum(orderStatuses, `must be one of ${orderStatuses.join(', ')}`).optional(),
    customer: z.strictObject({ name: textField(200).optional(), email: emailField.nullish() }).optional(),
    metadata: metadataField(metadataValue.nullable()).optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'status, customer or metadata must be given');
