import { Anchor, Group, Text } from '@mantine/core';
import { IconClockExclamation } from '@tabler/icons-react';
import { Link } from 'wouter';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import { Panel } from '../../components/panel.tsx';
import { Loaded } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { UsagePanel } from '../../components/usage-chart/usage-panel.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { requestsPath } from '../requests/filter.ts';
import { type ApiKey, useBlastRadius } from './api.ts';
import { BlastRadiusView } from './blast-radius.tsx';
import classes from './keys.module.css';

export function KeyStatus({ apiKey }: { readonly apiKey: Pick<ApiKey, 'status' | 'freeze'> }) {
  const { status, freeze } = apiKey;
  if (status === 'expired') return <StatusBadge tone="bad">Expired</StatusBadge>;
  return freeze === null ? (
    <StatusBadge tone="good">Active</StatusBadge>
  ) : (
    <StatusBadge tone="bad">Frozen</StatusBadge>
  );
}

/** Last use of a key with its IP address. */
export function LastUsed({ apiKey }: { readonly apiKey: Pick<ApiKey, 'lastUsedAt' | 'lastUsedIp'> }) {
  const { lastUsedAt, lastUsedIp } = apiKey;
  return (
    <>
      <Timestamp at={lastUsedAt} absent="Never" />
      {lastUsedIp !== null && (
        <Text span size="xs" c="dimmed" className={classes.address ?? ''} title={lastUsedIp}>
          from {lastUsedIp}
        </Text>
      )}
    </>
  );
}

/** Expiration of a key, highlighted when it is soon. */
export function Expires({
  apiKey,
  inSentence = false,
}: {
  readonly apiKey: Pick<ApiKey, 'status' | 'expiresAt' | 'expiresSoon'>;
  /** "Expires 19 Feb 2027" instead of "19 Feb 2027". */
  readonly inSentence?: boolean;
}) {
  const { status, expiresAt, expiresSoon } = apiKey;
  if (expiresAt === null) return inSentence ? 'Never expires' : 'Never';
  if (!expiresSoon) {
    return (
      <>
        {inSentence && (status === 'expired' ? 'Expired ' : 'Expires ')}
        <Timestamp at={expiresAt} format="date" />
      </>
    );
  }
  return (
    <Text span inherit c="var(--mantine-color-yellow-light-color)" fw={600} display="inline-flex">
      <Group component="span" gap={4} wrap="nowrap">
        <IconClockExclamation size={16} aria-hidden />
        <span>
          {inSentence && 'Expires '}
          <Timestamp at={expiresAt} />
        </span>
      </Group>
    </Text>
  );
}

/** Recent use of a key. */
export function KeyUsage({ apiKeyId }: { readonly apiKeyId: string }) {
  const query = useBlastRadius(apiKeyId, { poll: true });
  return (
    <Panel title="Usage">
      <Loaded query={query}>{(radius) => <BlastRadiusView radius={radius} maxEntries={6} />}</Loaded>
    </Panel>
  );
}

export function KeyRequests({ apiKeyId }: { readonly apiKeyId: string }) {
  const { id: businessId } = useBusiness();
  return (
    <UsagePanel
      queryKey={businessKey(businessId, 'api-keys', apiKeyId, 'usage')}
      fetchHours={async (query, signal) => {
        const params = { path: { businessId, apiKeyId }, query };
        const call = api.GET('/businesses/{businessId}/api-keys/{apiKeyId}/usage', { params, signal });
        return (await unwrap(call)).hours;
      }}
      log={{ label: 'See every request of this key', href: requestsPath({ credential: apiKeyId }) }}
    />
  );
}

/** Advice to replace a key without an outage. */
export function SecondKeyLink({ apiKeyId }: { readonly apiKeyId: string }) {
  return (
    <Text size="sm">
      To replace a key without an outage,{' '}
      <Anchor component={Link} href={secondKeyPath(apiKeyId)} inherit underline="always">
        create a second key with the same settings
      </Anchor>
      , switch your program to it, and delete this key once it is no longer used.
    </Text>
  );
}

/** Page that creates a second key with the same settings. */
export const secondKeyPath = (apiKeyId: string): string => `/settings/developers/keys/new?from=${apiKeyId}`;
