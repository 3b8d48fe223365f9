import { Text } from '@mantine/core';
import { Moment } from '../../parts/moment.tsx';
import type { ApiKey } from './api-keys.ts';
import classes from './keys.module.css';

/** When a key was last used, and from where. */
export function LastUsed({ apiKey }: { readonly apiKey: Pick<ApiKey, 'lastUsedAt' | 'lastUsedIp'> }) {
  const { lastUsedAt, lastUsedIp } = apiKey;
  return (
    <>
      <Moment at={lastUsedAt} absent="Never" />
      {lastUsedIp !== null && (
        <Text span size="xs" c="dimmed" className={classes.address ?? ''} title={lastUsedIp}>
          from {lastUsedIp}
        </Text>
      )}
    </>
  );
}
