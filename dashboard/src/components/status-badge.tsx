import { Badge } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconInfoCircle,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** Meaning of a status, shown by colour and icon. */
export type Tone = 'good' | 'bad' | 'warning' | 'waiting' | 'neutral';

const toneStyles: Readonly<Record<Tone, { readonly color: string; readonly icon: TablerIcon }>> = {
  good: { color: 'green', icon: IconCircleCheck },
  bad: { color: 'red', icon: IconCircleX },
  warning: { color: 'yellow', icon: IconAlertTriangle },
  waiting: { color: 'gray', icon: IconClock },
  neutral: { color: 'gray', icon: IconInfoCircle },
};

/** A status: Active, Expired, Verified. It wraps only where `--badge-min-width` lets it. */
export function StatusBadge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  const { color, icon: Icon } = toneStyles[tone];
  return (
    <Badge
      color={color}
      variant="light"
      radius="sm"
      tt="none"
      miw="var(--badge-min-width, max-content)"
      h="auto"
      mih="var(--badge-height)"
      styles={{ label: { whiteSpace: 'normal', textAlign: 'start' } }}
      leftSection={<Icon size={12} aria-hidden />}
    >
      {children}
    </Badge>
  );
}

/** HTTP status of a response. */
export function HttpStatusBadge({
  status,
  hasFailed = status >= 400,
}: {
  readonly status: number;
  /** Of an authorization request that failed with a redirect, too. */
  readonly hasFailed?: boolean;
}) {
  const tone = status >= 500 ? 'bad' : hasFailed ? 'warning' : 'good';
  return <StatusBadge tone={tone}>{status}</StatusBadge>;
}
