import { Skeleton, Text } from '@mantine/core';
import { count, counted } from '../../parts/numbers.ts';
import { useRecentCalls } from './business.ts';

/** How much traffic a freeze would stop. */
export function CallsNow({ enabled }: { readonly enabled: boolean }) {
  const { data, error } = useRecentCalls(enabled);
  if (error !== null) {
    return (
      <Text size="sm" c="dimmed">
        How many calls came lately is not known right now.
      </Text>
    );
  }
  if (data === undefined) return <Skeleton height={22} />;
  const { lastHour, lastDay } = data;
  return (
    <Text size="sm">
      {lastDay === 0 ? (
        <strong>No calls came in the last 24 hours.</strong>
      ) : (
        <>
          <strong>{counted(lastHour, 'call')} came in the last hour</strong>, {count(lastDay)} in the last 24
          hours.
        </>
      )}
    </Text>
  );
}
