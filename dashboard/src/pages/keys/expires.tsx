import { Group, Text } from '@mantine/core';
import { IconClockExclamation } from '@tabler/icons-react';
import { Moment } from '../../parts/moment.tsx';
import type { ApiKey } from './api-keys.ts';
import { expiresSoon } from './expiry.ts';

/** When a key ends; stands out when that is soon. */
export function Expires({ apiKey }: { readonly apiKey: Pick<ApiKey, 'status' | 'expiresAt'> }) {
  const { expiresAt } = apiKey;
  if (!expiresSoon(apiKey, Date.now())) return <Moment at={expiresAt} format="date" absent="Never" />;
  return (
    <Text span inherit c="var(--mantine-color-yellow-light-color)" fw={600} display="inline-flex">
      <Group component="span" gap={4} wrap="nowrap">
        <IconClockExclamation size={16} aria-hidden />
        <Moment at={expiresAt} />
      </Group>
    </Text>
  );
}
