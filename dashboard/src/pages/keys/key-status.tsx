import { StatusBadge } from '../../parts/status-badge.tsx';
import type { ApiKey } from './api-keys.ts';

/** Active or Expired. */
export function KeyStatus({ status }: Pick<ApiKey, 'status'>) {
  return status === 'active' ? (
    <StatusBadge tone="good">Active</StatusBadge>
  ) : (
    <StatusBadge tone="bad">Expired</StatusBadge>
  );
}
