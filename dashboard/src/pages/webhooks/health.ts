import { pluralize } from '../../components/format.ts';
import type { Tone } from '../../components/status-badge.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';

type Schemas = components['schemas'];

export type Endpoint = Schemas['WebhookEndpoint'];

export type Delivery = Schemas['WebhookDelivery'];

/** Host and path of the URL of an endpoint, with the middle of a long one cut out. */
export function shortUrl({ url }: Pick<Endpoint, 'url'>): string {
  const { host, pathname } = new URL(url);
  const text = pathname === '/' ? host : host + pathname;
  return text.length > 50 ? `${text.slice(0, 30)}…${text.slice(-19)}` : text;
}

/** How an attempt without a status ended, by outcome. */
export const outcomes: Readonly<Record<string, string>> = {
  timed_out: 'No response in time',
  connection_failed: 'No connection',
  tls_failed: 'TLS failed',
  name_not_found: 'Host name not found',
  address_not_allowed: 'Address not public',
  invalid_response: 'Invalid response',
};

/** Minimum share of successful recent attempts of an endpoint that is shown as healthy. */
const healthyShare = 0.9;

/** Health of an endpoint. The reason why it was disabled is in its alert. */
export function healthOf(endpoint: Endpoint): { readonly tone: Tone; readonly label: string } {
  const { disabledReason, pausedUntil, failingSince, lastSuccessAt, recent } = endpoint;
  if (disabledReason !== null) {
    return { tone: disabledReason === 'owner' ? 'neutral' : 'bad', label: 'Disabled' };
  }
  if (failingSince !== null) {
    return { tone: pausedUntil === null ? 'warning' : 'bad', label: `Failing${causeOf(recent)}` };
  }
  if (lastSuccessAt === null) return { tone: 'waiting', label: 'No delivery yet' };
  return recent.successes < healthyShare * recent.attempts
    ? { tone: 'warning', label: 'Unstable' }
    : { tone: 'good', label: 'Healthy' };
}

/** ` (500)`, ` (no connection)`: how the latest attempt failed, where that is known. */
function causeOf({ lastOutcome, lastStatus }: Endpoint['recent']): string {
  const cause =
    lastStatus ?? outcomes[lastOutcome ?? '']?.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
  return cause === undefined || lastOutcome === 'delivered' ? '' : ` (${cause})`;
}

const percentFormat = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** `98.5% of 200 attempts succeeded`. Never 100% while one failed. */
export function successRate({
  attempts,
  successes,
}: Pick<Endpoint['recent'], 'attempts' | 'successes'>): string {
  if (attempts === 0) return 'No attempts';
  const percent = percentFormat.format(Math.floor((successes / attempts) * 1_000) / 1_000);
  return `${percent} of ${pluralize(attempts, 'attempt', 'attempts')} succeeded`;
}

const hourMs = 3_600_000;

/** Days without a success after which an endpoint is disabled. */
const failingDays = 5;

/** Why an endpoint needs attention. Times in RFC 3339. */
export type EndpointAlert =
  | { readonly kind: 'failing'; readonly since: string; readonly disabledAt: string }
  | { readonly kind: 'disabled'; readonly reason: 'gone' | 'failing'; readonly at: string | null };

/** The alert of an endpoint: it has failed for an hour, or was disabled because of failures. @param now ms since 1970 */
export function alertOf(endpoint: Endpoint, now: number): EndpointAlert | undefined {
  const { enabled, disabledReason, disabledAt, failingSince } = endpoint;
  if (disabledReason === 'gone' || disabledReason === 'failing') {
    return { kind: 'disabled', reason: disabledReason, at: disabledAt };
  }
  if (!enabled || failingSince === null) return undefined;
  const since = Date.parse(failingSince);
  if (now - since < hourMs) return undefined;
  const disabledOn = new Date(since + failingDays * 24 * hourMs).toISOString();
  return { kind: 'failing', since: failingSince, disabledAt: disabledOn };
}

/** The recovery of an endpoint, if it is running or is less than an hour old. @param now ms since 1970 */
export function shownRecovery({ recovery }: Endpoint, now: number): Endpoint['recovery'] {
  if (recovery === null) return null;
  return recovery.sent < recovery.total || now - Date.parse(recovery.createdAt) < hourMs ? recovery : null;
}

/**
 * Since when an endpoint has missed events; undefined when it has not. An hour before its first failure, because deliveries
 * are older than their attempts.
 */
export function missedSince({ failingSince, disabledAt }: Endpoint): string | undefined {
  const since = failingSince ?? disabledAt;
  return since === null ? undefined : new Date(Date.parse(since) - hourMs).toISOString();
}

/** Time of a delivery's next attempt in RFC 3339, not before that of its endpoint, which may be paused; null for none. */
export function nextAttemptOf(
  { nextAttemptAt }: Pick<Delivery, 'nextAttemptAt'>,
  endpoint: Pick<Endpoint, 'nextAttemptAt'> | undefined,
): string | null {
  const first = endpoint?.nextAttemptAt ?? null;
  if (nextAttemptAt === null || first === null) return nextAttemptAt;
  return Date.parse(first) > Date.parse(nextAttemptAt) ? first : nextAttemptAt;
}
