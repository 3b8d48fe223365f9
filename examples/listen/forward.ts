// Sends an event to a receiver as the platform does: a signed POST request, repeated while it fails.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BusinessEvent } from '@business-api/client';
import { Webhook } from 'standardwebhooks';

interface ForwardOptions {
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
  /** Receives one line for each attempt. */
  readonly tell: (line: string) => void;
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

/** Whether `Webhook` accepts it. The platform's secrets have 24 to 64 bytes. */
export function isSecret(text: string): boolean {
  const { length } = Buffer.from(text.replace(/^whsec_/, ''), 'base64');
  return /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && length >= 24 && length <= 64;
}

/** Sends one event until it is accepted, five times at most. @throws when the signal aborts */
export async function forward(event: BusinessEvent, options: ForwardOptions): Promise<void> {
  const { tell, signal } = options;
  const body = JSON.stringify(event);
  for (const [index, delayMs] of delaysMs.entries()) {
    if (delayMs > 0) await pause(delayMs, undefined, { signal });
    const startedAt = performance.now();
    const outcome = await attempt(event.id, body, options);
    const took = `${Math.round(performance.now() - startedAt)} ms`;
    const accepted = typeof outcome === 'number' && outcome >= 200 && outcome < 300;
    const next = delaysMs[index + 1];
    const then = next === undefined ? '; given up' : `; again in ${next / 1_000} s`;
    tell(`${event.type}  ${event.id}  #${event.sequence}  ${outcome}  ${took}${accepted ? '' : then}`);
    if (accepted) return;
  }
}

/** The status, or the reason why there is none. */
async function attempt(id: string, body: string, { url, secret, signal }: ForwardOptions) {
  const now = new Date();
  const headers = {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, now, body),
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
    const cause = error instanceof Error ? error.cause : undefined;
    return cause instanceof Error && 'code' in cause ? String(cause.code) : 'no response';
  }
}
