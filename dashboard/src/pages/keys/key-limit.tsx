import { Progress, Text } from '@mantine/core';
import { Moment } from '../../parts/moment.tsx';
import { count } from '../../parts/numbers.ts';
import { Panel } from '../../parts/panel.tsx';
import type { ApiKeyDetail } from './api-keys.ts';

/** Part of the limit from which on it deserves attention. */
const close = 0.8;

/** How much of its rolling hour a key has left. */
export function KeyLimit({ rollingHour }: { readonly rollingHour: ApiKeyDetail['rollingHour'] }) {
  const { limit, used, left, observedAt } = rollingHour;
  const part = used / limit;
  const color = left === 0 ? 'red' : part >= close ? 'yellow' : 'accent';
  return (
    <Panel title="Rate limit" description={`Any 60 minutes let ${count(limit)} requests through.`}>
      <div>
        <Text fw={600}>
          {count(left)} of {count(limit)} requests left in this hour
        </Text>
        <Progress
          value={Math.min(100, part * 100)}
          color={color}
          size="lg"
          mt="xs"
          aria-label={`${count(used)} of ${count(limit)} requests used`}
        />
        <Text size="sm" c="dimmed" mt="xs">
          {observedAt === null ? (
            'No request came in the last hour.'
          ) : (
            <>
              Seen <Moment at={observedAt} />.
            </>
          )}
          {left === 0 && ' Requests are refused with 429 until older ones are an hour old.'}
        </Text>
      </div>
    </Panel>
  );
}
