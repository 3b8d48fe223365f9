import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';

export type DeliveryStatus = components['schemas']['WebhookDelivery']['status'];

const statuses: Readonly<Record<DeliveryStatus, { readonly label: string; readonly tone: Tone }>> = {
  pending: { label: 'Pending', tone: 'waiting' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  skipped: { label: 'Skipped', tone: 'neutral' },
  withdrawn: { label: 'Withdrawn', tone: 'neutral' },
};

/** The state of a delivery. */
export function DeliveryBadge({ status }: { readonly status: DeliveryStatus }) {
  const { label, tone } = statuses[status];
  return <StatusBadge tone={tone}>{label}</StatusBadge>;
}
