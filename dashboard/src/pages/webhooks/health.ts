import type { Tone } from '../../components/status-badge.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';

export type Endpoint = components['schemas']['WebhookEndpoint'];

const disabledLabels: Readonly<Record<NonNullable<Endpoint['disabledReason']>, string>> = {
  owner: 'Disabled',
  gone: 'Disabled: the receiver responded with 410',
  failing: 'Disabled: only failures for five days',
};

/** Health of an endpoint. */
export function healthOf(endpoint: Endpoint): { readonly tone: Tone; readonly label: string } {
  const { disabledReason, pausedUntil, failingSince, lastSuccessAt } = endpoint;
  if (disabledReason !== null) {
    return { tone: disabledReason === 'owner' ? 'neutral' : 'bad', label: disabledLabels[disabledReason] };
  }
  if (pausedUntil !== null) return { tone: 'bad', label: 'Not reachable' };
  if (failingSince !== null) return { tone: 'warning', label: 'Failing' };
  return lastSuccessAt === null
    ? { tone: 'waiting', label: 'No delivery yet' }
    : { tone: 'good', label: 'Healthy' };
}
