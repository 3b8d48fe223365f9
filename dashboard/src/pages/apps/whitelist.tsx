import { Alert, Button, Code, Group, List, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
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
import { ListEditor } from './list-field.tsx';

/** Milliseconds after the last change until the server is asked. */
const pauseMs = 400;

/** What a whitelist would do, as the server says. */
type WhitelistCheck = components['schemas']['WhitelistCheck'];

/** The same, for whoever is writing it. */
interface WhitelistView extends WhitelistCheck {
  readonly rowErrors: RowErrors;
}

/** What the server says of a whitelist while it is written; undefined until it has answered. */
function useWhitelistCheck(
  applicationId: string | undefined,
  rows: readonly string[],
): WhitelistView | undefined {
  const { id: businessId } = useBusiness();
  const [settled] = useDebouncedValue(rows, pauseMs);
  const entries = nonBlankRows(settled);
  const { data } = useQuery({
    queryKey: businessKey(businessId, 'whitelist-check', applicationId, entries),
    queryFn: async ({ signal }): Promise<WhitelistView> => {
      const check = await checkWhitelist(businessId, applicationId, entries, signal);
      const faults = Object.entries(check.faults).map(([path, text]) => [path, toSentence(text)]);
      return { ...check, rowErrors: rowErrors(Object.fromEntries(faults), 'ipWhitelist', entries) };
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return data;
}

/** Asks the server what a whitelist would do; of an app that is still to be registered without an id. */
export function checkWhitelist(
  businessId: string,
  applicationId: string | undefined,
  entries: readonly string[],
  signal?: AbortSignal,
): Promise<WhitelistCheck> {
  const call = { body: { ipWhitelist: [...entries] }, ...(signal && { signal }) };
  return applicationId === undefined
    ? unwrap(
        api.POST('/businesses/{businessId}/whitelist-check', { params: { path: { businessId } }, ...call }),
      )
    : unwrap(
        api.POST('/businesses/{businessId}/applications/{applicationId}/whitelist-check', {
          params: { path: { businessId, applicationId } },
          ...call,
        }),
      );
}

/** Says where the reader calls from, and offers to add that where it is not covered. */
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
        Your address now is <Code>{yourAddress}</Code>
        {allowed ? ', which is covered.' : ', which is not covered.'}
      </Text>
      {!allowed && (
        <Button variant="light" size="compact-sm" onClick={() => onAdd(yourAddress)}>
          Add it
        </Button>
      )}
    </Group>
  );
}

/** Entries that are shown; the others are counted. */
const maxShown = 5;

/** Addresses that a whitelist would shut out, with what they did lately. */
function BlockedAddressList({ shutOut }: { readonly shutOut: readonly AddressUse[] }) {
  const more = shutOut.length - maxShown;
  return (
    <List size="sm" listStyleType="none" spacing={4}>
      {shutOut.slice(0, maxShown).map(({ address, successes, lastSuccessAt }) => (
        <List.Item key={address}>
          <Code>{address}</Code>{' '}
          <Text span inherit>
            {pluralize(successes, 'successful call')}, the last one <Timestamp at={lastSuccessAt} />
          </Text>
        </List.Item>
      ))}
      {more > 0 && <List.Item>and {formatNumber(more)} more</List.Item>}
    </List>
  );
}

/** Warns while a whitelist is written that would refuse who called lately. Nothing when it would refuse nobody. */
function BlockedAddressesWarning({
  shutOut,
  onAdd,
}: {
  readonly shutOut: readonly AddressUse[];
  readonly onAdd: (...addresses: readonly string[]) => void;
}) {
  if (shutOut.length === 0) return null;
  const addresses = shutOut.flatMap(({ address }) => address ?? []);
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle />}
      role="status"
      title={
        addresses.length === 1
          ? 'An address that your app calls from would be refused'
          : `${addresses.length} addresses that your app calls from would be refused`
      }
    >
      <Stack gap="sm" align="flex-start">
        <BlockedAddressList shutOut={shutOut} />
        <Button variant="default" size="xs" onClick={() => onAdd(...addresses)}>
          {addresses.length === 1 ? 'Add it' : 'Add them'}
        </Button>
      </Stack>
    </Alert>
  );
}

const maxEntries = 100;

/** Asks from where an app may call, and says what that would do before it is saved. */
export function WhitelistField({
  applicationId,
  rows,
  faults,
  error,
  onChange,
}: {
  readonly applicationId: string | undefined;
  readonly rows: readonly string[];
  readonly faults: RowErrors;
  readonly error: ReactNode;
  readonly onChange: (rows: readonly string[]) => void;
}) {
  const check = useWhitelistCheck(applicationId, rows);
  const entries = nonBlankRows(rows);
  const add = (...addresses: readonly string[]) => onChange([...entries, ...addresses].slice(0, maxEntries));
  return (
    <ListEditor
      label="IP whitelist"
      description={
        <>
          Where your servers call from. Requests from any other address are refused, also with a valid token.
          One IPv4 or IPv6 address per row, or a network such as <Code fz="xs">203.0.113.0/24</Code>.
        </>
      }
      entry="Address or network"
      placeholder="203.0.113.7"
      rows={rows}
      faults={faults}
      liveErrors={check?.rowErrors}
      error={error}
      max={maxEntries}
      onChange={onChange}
    >
      {check !== undefined && <YourAddress check={check} onAdd={add} />}
      {check !== undefined && entries.length > 0 && (
        <BlockedAddressesWarning shutOut={check.shutOut} onAdd={add} />
      )}
      {entries.some((entry) => entry.endsWith('/0')) && (
        <Alert color="yellow" icon={<IconAlertTriangle />} p="sm" role="status">
          A network that ends in /0 is the whole internet: the whitelist then protects nothing.
        </Alert>
      )}
    </ListEditor>
  );
}

/** A change of the whitelist that would refuse who called lately. */
export interface BlockedAddressesConfirmation {
  /** Empty where there is no doubt. */
  readonly shutOut: readonly AddressUse[];
  readonly mutation: { readonly isPending: boolean; readonly error: Error | null };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before addresses are shut out that called with success lately. */
export function BlockedAddressesDialog({
  doubt: { shutOut, ...dialog },
}: {
  readonly doubt: BlockedAddressesConfirmation;
}) {
  return (
    <ConfirmDialog
      title="Shut out addresses that are in use?"
      action="Save and shut them out"
      destructive
      opened={shutOut.length > 0}
      {...dialog}
    >
      <Text size="sm">
        Your app called from here in the last 7 days. With this whitelist, calls from there are refused at
        once:
      </Text>
      <BlockedAddressList shutOut={shutOut} />
    </ConfirmDialog>
  );
}
