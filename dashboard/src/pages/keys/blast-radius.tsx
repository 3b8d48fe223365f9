import { Code, List, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { formatNumber, pluralize } from '../../components/format.ts';
import { ErrorState, LoadingRows } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { type BlastRadius, endpointName } from './api.ts';
import classes from './keys.module.css';

/** Who would notice when a key stopped working. */
export function BlastRadiusView({
  radius,
  maxEntries,
}: {
  readonly radius: BlastRadius;
  /** Addresses, and endpoints, that are named; the others are summed up. */
  readonly maxEntries: number;
}) {
  const { calls, addresses, endpoints, since } = radius;
  if (calls.lastDay === 0) {
    return (
      <Text size="sm">
        <strong>Nothing used this key in the last 24 hours.</strong> <LastUse radius={radius} />
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      <Text size="sm">
        <strong>{pluralize(calls.lastHour, 'call')} in the last hour</strong>, {formatNumber(calls.lastDay)}{' '}
        in the last 24 hours. <LastUse radius={radius} />
      </Text>
      <UsageBreakdown
        title="Called from"
        maxEntries={maxEntries}
        entries={addresses.map(({ address, requests }) => ({ name: address ?? 'other addresses', requests }))}
      />
      <UsageBreakdown
        title="Calls"
        maxEntries={maxEntries}
        entries={endpoints.map((endpoint) => ({ name: endpointName(endpoint), requests: endpoint.requests }))}
      />
      <Text size="xs" c="dimmed">
        Places are counted by the hour, here since <Timestamp at={since} format="exact" />. The last few
        seconds may be missing.
      </Text>
    </Stack>
  );
}

function LastUse({ radius: { lastUsedAt, lastUsedIp } }: { readonly radius: BlastRadius }) {
  if (lastUsedAt === null) return 'It has never been used.';
  return (
    <>
      Last used <Timestamp at={lastUsedAt} />
      {lastUsedIp !== null && (
        <>
          {' '}
          from <Code>{lastUsedIp}</Code>
        </>
      )}
      .
    </>
  );
}

function UsageBreakdown({
  title,
  maxEntries,
  entries,
}: {
  readonly title: string;
  readonly maxEntries: number;
  readonly entries: readonly { readonly name: string; readonly requests: number }[];
}) {
  if (entries.length === 0) return null;
  const more = entries.slice(maxEntries);
  return (
    <div>
      <Text size="sm" fw={500}>
        {title}
      </Text>
      <List size="sm" listStyleType="none" spacing={2} mt={2}>
        {entries.slice(0, maxEntries).map(({ name, requests }) => (
          <List.Item key={name}>
            <Code>{name}</Code>{' '}
            <Text span inherit c="dimmed">
              {pluralize(requests, 'call')}
            </Text>
          </List.Item>
        ))}
        {more.length > 0 && (
          <List.Item c="dimmed">
            and {formatNumber(more.length)} more with{' '}
            {pluralize(
              more.reduce((sum, { requests }) => sum + requests, 0),
              'call',
            )}
          </List.Item>
        )}
      </List>
    </div>
  );
}

/** What stops working, as it is now, before somebody decides. */
export function BlastRadiusPreview({ query }: { readonly query: UseQueryResult<BlastRadius> }) {
  const { data, error, isFetching, refetch } = query;
  return (
    <section className={classes.radius} aria-label="What uses this key">
      {isFetching ? (
        <LoadingRows rows={2} height={20} />
      ) : error !== null ? (
        <ErrorState error={error} title="It is not known now what uses this key" retry={refetch} />
      ) : (
        data !== undefined && <BlastRadiusView radius={data} maxEntries={3} />
      )}
    </section>
  );
}
