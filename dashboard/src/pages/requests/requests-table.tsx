import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { CredentialName } from '../../components/credential-name.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { formatNumber } from '../../components/format.ts';
import { IpAddress } from '../../components/ip-address.tsx';
import { HttpStatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import type { ApiRequest } from './requests.ts';

const columns: readonly Column<ApiRequest>[] = [
  { header: 'Request', cell: (request) => <RequestCell request={request} /> },
  { header: 'Status', cell: ({ status }) => <HttpStatusBadge status={status} /> },
  { header: 'Key or app', cell: ({ credential }) => <CredentialCell credential={credential} /> },
  { header: 'IP address', cell: ({ clientIp }) => <IpAddress ip={clientIp} /> },
  { header: 'Time', cell: ({ at }) => <Timestamp at={at} /> },
];

/** Failed requests, linked to their details. */
export function RequestsTable({ requests }: { readonly requests: readonly ApiRequest[] }) {
  return (
    <DataTable
      label="Failed requests"
      columns={columns}
      rows={requests}
      keyOf={({ id }) => id}
      cardsBelow="md"
    />
  );
}

function RequestCell({ request: { id, title, method, path, requests } }: { readonly request: ApiRequest }) {
  return (
    <>
      <Anchor
        component={Link}
        href={`/settings/developers/requests/${id}`}
        fw={600}
        c="var(--mantine-color-text)"
        lineClamp={3}
      >
        {title}
      </Anchor>
      <Text size="xs" c="dimmed" ff="monospace" fw={400} lineClamp={2} title={`${method} ${path}`}>
        {method} {path}
      </Text>
      {requests > 1 && (
        <Text size="xs" fw={400}>
          {formatNumber(requests)} requests like this in the hour
        </Text>
      )}
    </>
  );
}

function CredentialCell({ credential }: Pick<ApiRequest, 'credential'>) {
  if (credential?.caller) {
    return <CredentialName credential={credential.caller} isClient={credential.type === 'client'} />;
  }
  return credential === null ? 'Unknown' : <Text size="sm">{credential.id}</Text>;
}
