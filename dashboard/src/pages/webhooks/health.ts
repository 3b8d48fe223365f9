import { pluralize } from '../../components/format.ts';
import type { Tone } from '../../components/status-badge.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';

export type Endpoint = components['schemas']['WebhookEndpoint'];

/** Health of an endpoint. Its alert has the reason for which it was disabled. */
export function healthOf(endpoint: Endpoint): { readonly tone: Tone; readonly label: string } {
  const { disabledReason, pausedUntil, failingSince, lastSuccessAt } = endpoint;
  if (disabledReason !== null) {
    return { tone: disabledReason === 'owner' ? 'neutral' : 'bad', label: 'Disabled' };
  }
  if (pausedUntil !== null) return { tone: 'bad', label: 'Not reachable' };
  if (failingSince !== null) return { tone: 'warning', label: 'Failing' };
  return lastSuccessAt === null
    ? { tone: 'waiting', label: 'No delivery yet' }
    : { tone: 'good', label: 'Healthy' };
}

const percentFormat = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** `98.5% of 200 attempts`. Never 100% while one failed. */
export function successRate({ attempts, successes }: Endpoint['recent']): string {
  if (attempts === 0) return 'No attempts';
  const percent = percentFormat.format(Math.floor((successes / attempts) * 1_000) / 1_000);
  return `${percent} of ${pluralize(attempts, 'attempt', 'attempts')}`;
}

const hourMs = 3_600_000;

/** Days with failures only after which an endpoint is disabled. */
const failingDays = 5;

/** Why an owner must look after an endpoint; times in RFC 3339. */
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

/** The recovery of an endpoint while it runs, and for an hour. @param now ms since 1970 */
export function shownRecovery({ recovery }: Endpoint, now: number): Endpoint['recovery'] {
  if (recovery === null) return null;
  return recovery.sent < recovery.total || now - Date.parse(recovery.createdAt) < hourMs ? recovery : null;
}

/**
 * Since when an endpoint has missed events; undefined when it has not. An hour earlier than its first failure: a delivery
 * is older than its attempts.
 */
export function missedSince({ failingSince, disabledAt }: Endpoint): string | undefined {
  const since = failingSince ?? disabledAt;
  return since === null ? undefined : new Date(Date.parse(since) - hourMs).toISOString();
}
