import { Alert, Code } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { entriesOf } from './app-draft.ts';
import { ListEditor } from './list-editor.tsx';
import type { EntryFaults } from './list-rows.ts';
import { ShutOutNotice } from './shut-out-notice.tsx';
import { useWhitelistCheck } from './use-whitelist-check.ts';
import { YourAddress } from './your-address.tsx';

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
  readonly faults: EntryFaults;
  readonly error: ReactNode;
  readonly onChange: (rows: readonly string[]) => void;
}) {
  const check = useWhitelistCheck(applicationId, rows);
  const entries = entriesOf(rows);
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
      earlyFaults={check?.entryFaults}
      error={error}
      max={maxEntries}
      onChange={onChange}
    >
      {check !== undefined && <YourAddress check={check} onAdd={add} />}
      {check !== undefined && entries.length > 0 && <ShutOutNotice shutOut={check.shutOut} onAdd={add} />}
      {entries.some((entry) => entry.endsWith('/0')) && (
        <Alert color="yellow" icon={<IconAlertTriangle />} p="sm" role="status">
          A network that ends in /0 is the whole internet: the whitelist then protects nothing.
        </Alert>
      )}
    </ListEditor>
  );
}
