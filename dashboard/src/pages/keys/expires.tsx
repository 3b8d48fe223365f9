import { Group, Text } from '@mantine/core';
import { IconClockExclamation } from '@tabler/icons-react';
import { Moment } from '../../parts/moment.tsx';
import type { ApiKey } from './api-keys.ts';
import { expiresSoon } from './expiry.ts';

/** When a key ends; stands out when that is soon. */
export function Expires({
  apiKey,
  inSentence = false,
}: {
  readonly apiKey: Pick<ApiKey, 'status' | 'expiresAt'>;
  /** "Until 19 Feb 2027" in the place of "19 Feb 2027". */
  readonly inSentence?: boolean;
}) {
  const { status, expiresAt } = apiKey;
  if (expiresAt === null) return inSentence ? 'Never expires' : 'Never';
  if (!expiresSoon(apiKey, Date.now())) {
    return (
      <>
        {inSentence && (status === 'expired' ? 'Since ' : 'Until ')}
        <Moment at={expiresAt} format="date" />
      </>
    );
  }
  return (
    <Text span inherit c="var(--mantine-color-yellow-light-color)" fw={600} display="inline-flex">
      <Group component="span" gap={4} wrap="nowrap">
        <IconClockExclamation size={16} aria-hidden />
        <span>
          {inSentence && 'Expires '}
          <Moment at={expiresAt} />
        </span>
      </Group>
    </Text>
  );
}
