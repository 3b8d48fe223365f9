import { StatusBadge } from '../../parts/labels.tsx';

/** The HTTP status of an answer that is an error. */
export function RequestStatus({ status }: { readonly status: number }) {
  return <StatusBadge tone={status >= 500 ? 'bad' : 'warning'}>{status}</StatusBadge>;
}
