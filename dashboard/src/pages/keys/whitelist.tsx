import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import { useBusiness } from '../../shell/session-context.ts';
import { nonBlankRows } from '../apps/form-values.ts';
import { AddressHint, AddressUseList, WhitelistField } from '../apps/whitelist.tsx';

/** Edits the addresses from which a key may be used; none of them means any. */
export function KeyWhitelistField({
  apiKeyId,
  value = [],
  onChange = () => undefined,
  error,
}: {
  /** Undefined for a new key. */
  readonly apiKeyId: string | undefined;
  readonly value?: readonly string[];
  readonly onChange?: (entries: string[]) => void;
  readonly error?: ReactNode;
}) {
  const isEmpty = nonBlankRows(value).length === 0;
  return (
    <WhitelistField
      owner={apiKeyId === undefined ? undefined : { apiKeyId }}
      user="this key"
      description={
        <>
          Optional. Only these addresses can use the key; without any, every address can. <AddressHint />
        </>
      }
      rows={value.length === 0 ? [''] : value}
      rowErrors={undefined}
      error={error}
      onChange={onChange}
    >
      {apiKeyId !== undefined && isEmpty && <RecentAddresses apiKeyId={apiKeyId} onAdd={onChange} />}
    </WhitelistField>
  );
}

/** Offers the addresses from which a key was used successfully in the last 30 days. */
function RecentAddresses({
  apiKeyId,
  onAdd,
}: {
  readonly apiKeyId: string;
  readonly onAdd: (addresses: string[]) => void;
}) {
  const { id: businessId } = useBusiness();
  const { data } = useQuery({
    queryKey: businessKey(businessId, 'api-keys', apiKeyId, 'callers'),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/businesses/{businessId}/api-keys/{apiKeyId}/callers', {
          params: { path: { businessId, apiKeyId } },
          signal,
        }),
      ),
  });
  const used = data?.callers.filter(({ successes }) => successes > 0) ?? [];
  const addresses = used.flatMap(({ address }) => address ?? []);
  if (addresses.length === 0) return null;
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">This key was used in the last 30 days from:</Text>
      <AddressUseList addresses={used} />
      <Group gap="xs">
        {addresses.length > 1 && (
          <Button variant="light" size="compact-sm" onClick={() => onAdd(addresses)}>
            Add all {addresses.length}
          </Button>
        )}
        {addresses.slice(0, maxOffered).map((address) => (
          <Button key={address} variant="light" size="compact-sm" onClick={() => onAdd([address])}>
            Add {address}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}

/** Addresses that are offered each on its own: as many as are listed. */
const maxOffered = 5;
