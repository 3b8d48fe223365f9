import { Text } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useMayChange } from '../shell/session-context.ts';
import { EmptyState } from './states.tsx';

/** Explains to viewers why controls are missing. Renders nothing for other roles. */
export function ViewerNote({
  children,
}: {
  /** The act, after "Viewers cannot": "create API keys". */
  readonly children: string;
}) {
  if (useMayChange()) return null;
  return (
    <Text size="sm" c="dimmed">
      Viewers cannot {children}. An owner can change your role.
    </Text>
  );
}

/** Content of a page that viewers cannot use. */
export function NotForViewers({
  children,
}: {
  /** As in ViewerNote. */
  readonly children: string;
}) {
  return (
    <EmptyState icon={IconEye} title={`Viewers cannot ${children}`}>
      An owner of the business can change your role under Settings &gt; Business.
    </EmptyState>
  );
}
