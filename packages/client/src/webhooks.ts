import type { BusinessEvent } from './operations.ts';

/** A delivery that must not be trusted. Respond with 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

export interface WebhookOptions {
  /** Milliseconds that a delivery may be old or ahead; five minutes. */
  readonly toleranceMs?: number;
}

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The event of a delivery, once one of its signatures is right.
 * @param payload the body as it came, before anything has parsed it
 * @param headers of the request, as `Headers` or by their lower-case names
 * @param secrets `whsec_…` of the endpoint, or its public key `whpk_…`; several while one replaces another
 * @throws WebhookError when no signature is right, or the delivery is too old or ahead
 */
export async function verifyWebhook(
  payload: string | Uint8Array,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  secrets: string | readonly string[],
  { toleranceMs = 300_000 }: WebhookOptions = {},
): Promise<BusinessEvent> {
  const read = (name: string) =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '');
  const timestamp = read('webhook-timestamp');
  // Also false for what is no number.
  const isRecent = Math.abs(Date.now() - Number(timestamp) * 1_000) <= toleranceMs;
  if (!isRecent) throw new WebhookError('the delivery is too old, or ahead');
  const body = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload;
  const content = joined(new TextEncoder().encode(`${read('webhook-id')}.${timestamp}.`), body);
  const signatures = read('webhook-signature').split(' ');
  for (const secret of [secrets].flat()) {
    for (const signature of signatures) {
      if (await isSigned(content, signature, secret)) return JSON.parse(new TextDecoder().decode(body));
    }
  }
  throw new WebhookError('no signature is right');
}

const kinds = {
  whsec: { version: 'v1', algorithm: { name: 'HMAC', hash: 'SHA-256' } },
  whpk: { version: 'v1a', algorithm: { name: 'Ed25519' } },
};

/** @throws WebhookError for a secret that is none, whatever was signed */
async function isSigned(content: Bytes, signature: string, secret: string): Promise<boolean> {
  const [, prefix = '', encoded = ''] = /^(whsec|whpk)_(.+)$/.exec(secret) ?? [];
  const kind = Object.hasOwn(kinds, prefix) ? kinds[prefix as keyof typeof kinds] : undefined;
  const raw = decoded(encoded);
  if (kind === undefined || raw === undefined) throw new WebhookError('a secret begins with whsec_ or whpk_');
  const [version, value = ''] = signature.split(',');
  const given = decoded(value);
  if (version !== kind.version || given === undefined) return false;
  const key = await crypto.subtle.importKey('raw', raw, kind.algorithm, false, ['verify']);
  // Compares in constant time.
  return crypto.subtle.verify(kind.algorithm.name, key, given, content);
}

/** Bytes of base64; undefined for what is none. */
function decoded(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Bytes {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
