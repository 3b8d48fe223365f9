import { Alert, Button, Code, Group, List, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { toSentence } from '../../api/errors.ts';
import { businessKey } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { formatNumber, pluralize } from '../../components/format.ts';
import { Timestamp } from '../../components/timestamp.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';
import type { AddressUse } from './api.ts';
import { nonBlankRows, type RowErrors, rowErrors } from './form-values.ts';
import { ListField, type ListFieldProps } from './list-field.tsx';

/** Milliseconds without typing before the whitelist is checked. */
const debounceMs = 400;

/** The server's evaluation of a whitelist. */
type WhitelistCheck = components['schemas']['WhitelistCheck'];

interface WhitelistPreview extends WhitelistCheck {
  readonly rowErrors: RowErrors;
}

/** Owner of a whitelist; undefined for one that does not exist yet. */
type WhitelistOwner = { readonly applicationId: string } | { readonly apiKeyId: string } | undefined;

/** Evaluates a whitelist while it is edited; undefined until the first response. */
function useWhitelistPreview(owner: WhitelistOwner, rows: readonly string[]): WhitelistPreview | undefined {
  const { id: businessId } = useBusiness();
  const [debounced] = useDebouncedValue(rows, debounceMs);
  const entries = nonBlankRows(debounced);
  const { data } = useQuery({
    queryKey: businessKey(businessId, 'whitelist-check', owner, entries),
    queryFn: async ({ signal }): Promise<WhitelistPreview> => {
      const check = await checkWhitelist(businessId, owner, entries, signal);
      const errors = Object.entries(check.errors).map(([path, text]) => [path, toSentence(text)]);
      return { ...check, rowErrors: rowErrors(Object.fromEntries(errors), 'ipWhitelist', entries) };
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return data;
}

/** Evaluates a whitelist without saving it. */
export function checkWhitelist(
  businessId: string,
  owner: WhitelistOwner,
  entries: readonly string[],
  signal?: AbortSignal,
): Promise<WhitelistCheck> {
  const call = { body: { ipWhitelist: [...entries] }, ...(signal && { signal }) };
  if (owner === undefined) {
    const params = { path: { businessId } };
    return unwrap(api.POST('/businesses/{businessId}/whitelist-check', { params, ...call }));
  }
  if ('apiKeyId' in owner) {
    const params = { path: { businessId, ...owner } };
    const path = '/businesses/{businessId}/api-keys/{apiKeyId}/whitelist-check';
    return unwrap(api.POST(path, { params, ...call }));
  }
  const params = { path: { businessId, ...owner } };
  const path = '/businesses/{businessId}/applications/{applicationId}/whitelist-check';
  return unwrap(api.POST(path, { params, ...call }));
}

/** The address of this browser, with a button that adds it to the whitelist. */
function YourAddress({
  check: { yourAddress, allowed },
  onAdd,
}: {
  readonly check: WhitelistCheck;
  readonly onAdd: (address: string) => void;
}) {
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        Your current address <Code>{yourAddress}</Code> {allowed ? 'is included.' : 'is not included.'}
      </Text>
      {!allowed && (
        <Button variant="light" size="compact-sm" onClick={() => onAdd(yourAddress)}>
          Add it
        </Button>
      )}
    </Group>
  );
}

/** Addresses that are listed; the rest is counted. */
const maxListed = 5;

/** Addresses with their recent requests. */
export function AddressUseList({ addresses }: { readonly addresses: readonly AddressUse[] }) {
  const more = addresses.length - maxListed;
  return (
    <List size="sm" listStyleType="none" spacing={4}>
      {addresses.slice(0, maxListed).map(({ address, successes, lastSuccessAt }) => (
        <List.Item key={address}>
          <Code>{address}</Code>{' '}
          <Text span inherit>
            {pluralize(successes, 'successful request')}, the last one <Timestamp at={lastSuccessAt} />
          </Text>
        </List.Item>
      ))}
      {more > 0 && <List.Item>and {formatNumber(more)} more</List.Item>}
    </List>
  );
}

/** Warns while editing that a whitelist would block addresses in use. */
function BlockedAddressesWarning({
  blocked,
  user,
  onAdd,
}: {
  readonly user: string;
  readonly blocked: readonly AddressUse[];
  readonly onAdd: (...addresses: readonly string[]) => void;
}) {
  if (blocked.length === 0) return null;
  const addresses = blocked.flatMap(({ address }) => address ?? []);
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle />}
      role="status"
      title={
        addresses.length === 1
          ? `An address that ${user} uses would be blocked`
          : `${addresses.length} addresses that ${user} uses would be blocked`
      }
    >
      <Stack gap="sm" align="flex-start">
        <AddressUseList addresses={blocked} />
        <Button variant="default" size="xs" onClick={() => onAdd(...addresses)}>
          {addresses.length === 1 ? 'Add it' : 'Add them'}
        </Button>
      </Stack>
    </Alert>
  );
}

/** How an address or network is entered. */
export function AddressHint() {
  return (
    <>
      Enter one IPv4 or IPv6 address or network per row, such as <Code fz="xs">203.0.113.0/24</Code>.
    </>
  );
}

const maxEntries = 100;

/** Edits the addresses from which requests may come, and shows the effect before saving. */
export function WhitelistField({
  owner,
  user,
  rows,
  onChange,
  children,
  ...list
}: {
  readonly owner: WhitelistOwner;
  /** Sender of the requests in a sentence: "your app". */
  readonly user: string;
} & Pick<
  ListFieldProps,
  'description' | 'required' | 'rows' | 'rowErrors' | 'error' | 'onChange' | 'children'
>) {
  const check = useWhitelistPreview(owner, rows);
  const entries = nonBlankRows(rows);
  const add = (...addresses: readonly string[]) => onChange([...entries, ...addresses]);
  return (
    <ListField
      label="IP whitelist"
      rowLabel="Address or network"
      placeholder="203.0.113.7"
      rows={rows}
      liveErrors={check?.rowErrors}
      max={maxEntries}
      onChange={onChange}
      {...list}
    >
      {check !== undefined && (list.required || entries.length > 0) && (
        <YourAddress check={check} onAdd={add} />
      )}
      {check !== undefined && entries.length > 0 && (
        <BlockedAddressesWarning blocked={check.shutOut} user={user} onAdd={add} />
      )}
      {children}
      {entries.some((entry) => entry.endsWith('/0')) && (
        <Alert color="yellow" icon={<IconAlertTriangle />} p="sm" role="status">
          A network that ends in /0 covers the whole internet: the whitelist then protects nothing.
        </Alert>
      )}
    </ListField>
  );
}

/** A whitelist that would block addresses in use, waiting for confirmation. */
export interface BlockedAddressesConfirmation {
  /** Empty when nothing needs confirmation. */
  readonly addresses: readonly AddressUse[];
  readonly mutation: { readonly isPending: boolean; readonly error: Error | null };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before a whitelist is saved that blocks addresses in use. */
export function BlockedAddressesDialog({
  confirmation: { addresses, ...dialog },
  use = 'Your app sent requests from these addresses in the last 7 days.',
}: {
  readonly confirmation: BlockedAddressesConfirmation;
  /** From where requests came, as a sentence. */
  readonly use?: string;
}) {
  return (
    <ConfirmDialog
      title="Block addresses that are in use?"
      action="Save and block them"
      destructive
      opened={addresses.length > 0}
      {...dialog}
    >
      <Text size="sm">{use} With this whitelist, such requests are refused at once:</Text>
      <AddressUseList addresses={addresses} />
    </ConfirmDialog>
  );
}
