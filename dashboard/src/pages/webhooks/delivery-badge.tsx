import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { type Delivery, type Endpoint, nextAttemptOf } from './health.ts';

export type DeliveryStatus = Delivery['status'];

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

/** When the next attempt of a delivery begins. */
export function NextAttempt({
  delivery,
  endpoint,
}: {
  readonly delivery: Delivery;
  readonly endpoint: Endpoint | undefined;
}) {
  const at = nextAttemptOf(delivery, endpoint);
  if (at === null || Date.parse(at) > Date.now()) return <Timestamp at={at} absent="None" />;
  return endpoint?.nextAttemptAt == null ? 'When the endpoint is due' : 'Due now';
}
