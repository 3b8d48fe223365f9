import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds that the timestamp of a delivery may differ from the clock. */
const toleranceSeconds = 300;

/** Headers of a delivery, by Standard Webhooks 1.0.0. */
export interface SignedHeaders {
  readonly 'webhook-id'?: string | undefined;
  readonly 'webhook-timestamp'?: string | undefined;
  readonly 'webhook-signature'?: string | undefined;
}

/** HMAC key of `whsec_` and base64; undefined for other texts. */
export function readSecret(text: string): Buffer | undefined {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(text) ?? [];
  const key = Buffer.from(base64, 'base64');
  return key.length >= 24 ? key : undefined;
}

/**
 * Error of the signature of a delivery; undefined when it is valid.
 * @param now seconds since 1970
 */
export function signatureError(
  secret: Buffer,
  headers: SignedHeaders,
  body: Buffer,
  now: number,
): string | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (!id || !timestamp || !signatures) return 'without a signature';
  if (!(Math.abs(Number(timestamp) - now) <= toleranceSeconds)) return 'with a wrong time';
  const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest();
  const isRight = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return (
      signature.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected)
    );
  });
  return isRight ? undefined : 'with a wrong signature';
}
