import { digest, type Instant } from '../values.ts';
import type { OrderDraft } from './order.ts';

/** Hours for which an idempotency key is remembered. */
export const idempotencyHours = 24;

/** An idempotency key and a digest of the body that came with it. */
export interface Idempotency {
  readonly key: string;
  readonly fingerprint: string;
}

const keyShape = /^[\x21-\x7e]{1,255}$/;

/** Whether a header value can be an Idempotency-Key: 1 to 255 visible ASCII characters. */
export function isIdempotencyKey(value: string): boolean {
  return keyShape.test(value);
}

/** Whether a key has expired, purged or not. */
export function isExpired(usedAt: Instant, now: Instant): boolean {
  return now.getTime() - usedAt.getTime() >= idempotencyHours * 3_600_000;
}

/** SHA-256 of a parsed body. Blanks and the order of fields make no difference. */
export function fingerprint(draft: OrderDraft): string {
  return digest(draft);
}
