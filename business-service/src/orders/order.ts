import { textField } from '@platform/service-kit/values/text.ts';
import { z } from 'zod';
import type { Instant } from '../values.ts';
import { isEmailAddress } from './email-address.ts';

export const orderStatuses = ['pending', 'paid', 'fulfilled', 'cancelled'] as const;

export type OrderStatus = (typeof orderStatuses)[number];

const next: Record<OrderStatus, readonly OrderStatus[]> = {
  pending: ['paid', 'cancelled'],
  paid: ['fulfilled', 'cancelled'],
  fulfilled: [],
  cancelled: [],
};

/** Whether an order may go from one status to another. */
export function canBecome(from: OrderStatus, to: OrderStatus): boolean {
  return next[from].includes(to);
}

/** One position of an order; amounts in minor units. */
export interface LineItem {
  readonly name: string;
  readonly sku: string | null;
  readonly quantity: number;
  readonly unitAmount: number;
}

interface Customer {
  readonly name: string;
  readonly email: string | null;
}

export type Metadata = Readonly<Record<string, string>>;

export interface Order {
  readonly id: string;
  readonly businessId: number;
  /** Counts up by one per business, without gaps. */
  readonly number: number;
  readonly status: OrderStatus;
  /** ISO 4217. */
  readonly currency: string;
  readonly lineItems: readonly LineItem[];
  /** Minor units. */
  readonly total: number;
  readonly customer: Customer;
  readonly metadata: Metadata;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly paidAt: Instant | null;
  readonly fulfilledAt: Instant | null;
  readonly cancelledAt: Instant | null;
}

/** The input of POST /order. */
export type OrderDraft = Pick<Order, 'currency' | 'lineItems' | 'customer' | 'metadata'>;

const idShape = /^ord_[0-9A-Za-z]{20}$/;

/** Whether a text has the shape of an order id. */
export function isOrderId(text: string): boolean {
  return idShape.test(text);
}

/** Active codes of ISO 4217, funds and metals left out. */
const codes = new Set(
  (
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY ' +
    'COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ' +
    'ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK ' +
    'MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF ' +
    'SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU ' +
    'UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG'
  ).split(' '),
);

/** Whether a text is an active ISO 4217 code, in capitals. */
function isCurrency(code: string): boolean {
  return codes.has(code);
}

// Fields of an order as they arrive in JSON, shared by POST and PATCH.
const currencyField = z.string().refine(isCurrency, 'must be an ISO 4217 code such as EUR');

/** An email address, as it is stored: in the spelling of the request. */
export const emailField = z
  .string()
  .max(254, 'must have at most 254 characters')
  .refine(isEmailAddress, 'must be an email address');

const maxMetadataEntries = 50;

const metadataKey = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$/, 'is not a usable key');

/** A map with checked keys. Counts entries first, because each of tens of thousands of invalid ones would cost an issue. */
function metadataField<T extends z.ZodType>(value: T) {
  return z
    .unknown()
    .refine((map) => entriesOf(map) <= maxMetadataEntries, 'must have at most 50 entries')
    .pipe(z.record(metadataKey, value));
}

const metadataValue = z.union([z.literal(''), textField(500)]).describe('text of at most 500 characters');

function entriesOf(value: unknown): number {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).length : 0;
}

/** Sum of quantity times unit amount, in minor units; undefined when it is too large to be an exact number. */
export function orderTotal(
  lineItems: readonly Pick<LineItem, 'quantity' | 'unitAmount'>[],
): number | undefined {
  const total = lineItems.reduce((sum, { quantity, unitAmount }) => sum + quantity * unitAmount, 0);
  return Number.isSafeInteger(total) ? total : undefined;
}

const wholeNumber = (min: number, max: number, unit = '') => {
  const error = `must be a whole number${unit}, from ${min} to ${max}`;
  // Aborts, so that the sum of invalid items is not checked.
  return z.int(error).min(min, { error, abort: true }).max(max, { error, abort: true });
};

const lineItem = z
  .strictObject({
    name: textField(200),
    sku: textField(100).nullish(),
    quantity: wholeNumber(1, 1_000_000),
    unit_amount: wholeNumber(0, 999_999_999_999, ' of minor units'),
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

/** A change: an absent field stays, null removes (RFC 7396). */
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

/** Assigned by the store. */
interface OrderIdentity {
  readonly id: string;
  readonly businessId: number;
  readonly number: number;
  readonly now: Instant;
}

/** A new pending order. @throws RangeError for a total that `orderDraftBody` refuses */
export function composeOrder(draft: OrderDraft, { id, businessId, number, now }: OrderIdentity): Order {
  const total = orderTotal(draft.lineItems);
  if (total === undefined) throw new RangeError('the total of an order is not an exact number');
  return {
    ...draft,
    id,
    businessId,
    number,
    status: 'pending',
    total,
    createdAt: now,
    updatedAt: now,
    paidAt: null,
    fulfilledAt: null,
    cancelledAt: null,
  };
}
