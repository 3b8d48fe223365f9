// Sends an event to a receiver as the platform does: a signed POST request, repeated while it fails.
import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BusinessEvent } from '@business-api/client';
import { reasonOf } from '../errors.ts';

/** One request that delivered an event, or did not. */
export interface Attempt {
  readonly event: BusinessEvent;
  /** Status of the response, or why there is none. */
  readonly outcome: number | string;
  readonly tookMs: number;
  /** Milliseconds until the next attempt; undefined after the last one. */
  readonly againInMs: number | undefined;
}

export interface ForwardOptions {
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
  readonly report: (attempt: Attempt) => void;
  readonly signal: AbortSignal;
}

/** Milliseconds before each attempt. Shorter than on the platform, because a developer is waiting. */
const delaysMs = [0, 1_000, 2_000, 5_000, 10_000];
/** Milliseconds for the whole response, as on the platform. */
const limitMs = 15_000;

/** A new secret in the format of endpoints. */
export function createSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Whether it has the format of the platform's secrets, 24 to 64 bytes. */
export function isSecret(text: string): boolean {
  const { length } = bytesOf(text);
  return /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && length >= 24 && length <= 64;
}

/** Whether the receiver accepted it. */
export const isAccepted = ({ outcome }: Pick<Attempt, 'outcome'>) =>
  typeof outcome === 'number' && outcome >= 200 && outcome < 300;

/** Sends one event until it is accepted, five times at most. @throws when the signal aborts */
export async function forward(event: BusinessEvent, options: ForwardOptions): Promise<void> {
  const { report, signal } = options;
  const body = JSON.stringify(event);
  for (const [index, delayMs] of delaysMs.entries()) {
    if (delayMs > 0) await pause(delayMs, undefined, { signal });
    const startedAt = performance.now();
    const outcome = await attempt(event.id, body, options);
    const tookMs = Math.round(performance.now() - startedAt);
    const accepted = isAccepted({ outcome });
    report({ event, outcome, tookMs, againInMs: accepted ? undefined : delaysMs[index + 1] });
    if (accepted) return;
  }
}

/** The signature of Standard Webhooks, `v1`. `seconds` since 1970. */
export function sign(secret: string, id: string, seconds: number, body: string): string {
  const mac = createHmac('sha256', bytesOf(secret)).update(`${id}.${seconds}.${body}`);
  return `v1,${mac.digest('base64')}`;
}

const bytesOf = (secret: string) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64');

/** The status, or the reason why there is none. */
async function attempt(id: string, body: string, { url, secret, signal }: ForwardOptions) {
  const seconds = Math.floor(Date.now() / 1_000);
  const headers = {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': sign(secret, id, seconds, body),
  };
  const limit = AbortSignal.timeout(limitMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, limit]),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return 'no response within 15 s';
    return reasonOf(error);
  }
}
