import { Code, List, Stack, Text } from '@mantine/core';
import { formatNumber, pluralize } from '../../components/format.ts';
import { ErrorState, LoadingRows } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { type BlastRadius, endpointName, type useBlastRadiusInDialog } from './api.ts';
import classes from './keys.module.css';

/** Recent use of a key: counts, source addresses and endpoints. */
export function BlastRadiusView({
  radius,
  maxEntries,
}: {
  readonly radius: BlastRadius;
  /** Addresses and endpoints listed; the rest is summed up. */
  readonly maxEntries: number;
}) {
  const { calls, addresses, endpoints, since } = radius;
  if (calls.lastDay === 0) {
    return (
      <Text size="sm">
        <strong>Not used in the last 24 hours.</strong> <LastUse radius={radius} />
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      <Text size="sm">
        <strong>{pluralize(calls.lastHour, 'request')} in the last hour</strong>,{' '}
        {formatNumber(calls.lastDay)} in the last 24 hours. <LastUse radius={radius} />
      </Text>
      <UsageBreakdown
        title="IP addresses"
        maxEntries={maxEntries}
        entries={addresses.map(({ address, requests }) => ({ name: address ?? 'other addresses', requests }))}
      />
      <UsageBreakdown
        title="Endpoints"
        maxEntries={maxEntries}
        entries={endpoints.map((endpoint) => ({ name: endpointName(endpoint), requests: endpoint.requests }))}
      />
      <Text size="xs" c="dimmed">
        Addresses and endpoints are counted since <Timestamp at={since} format="exact" />. The last few
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
              {pluralize(requests, 'request')}
            </Text>
          </List.Item>
        ))}
        {more.length > 0 && (
          <List.Item c="dimmed">
            and {formatNumber(more.length)} more with{' '}
            {pluralize(
              more.reduce((sum, { requests }) => sum + requests, 0),
              'request',
            )}
          </List.Item>
        )}
      </List>
    </div>
  );
}

/** Current use of a key, shown before it is rotated or deleted. */
export function BlastRadiusPreview({ query }: { readonly query: ReturnType<typeof useBlastRadiusInDialog> }) {
  const { data, error, refetch } = query;
  return (
    <section className={classes.usage} aria-label="Usage of this key">
      {error !== null ? (
        <ErrorState error={error} title="Usage of this key is unavailable" retry={refetch} />
      ) : data === undefined ? (
        <LoadingRows rows={2} height={20} />
      ) : (
        <BlastRadiusView radius={data} maxEntries={3} />
      )}
    </section>
  );
}
