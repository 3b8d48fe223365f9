import { Anchor, Code, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { type Column, DataTable } from '../../parts/data-table/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { count } from '../../parts/numbers.ts';
import type { ApiKey } from './api-keys.ts';
import { Expires } from './expires.tsx';
import { KeyStatus } from './key-status.tsx';
import { keyHint, typeNames } from './key-types.ts';
import { LastUsed } from './last-used.tsx';

const columns: readonly Column<ApiKey>[] = [
  { header: 'Name', cell: (key) => <NameCell apiKey={key} /> },
  { header: 'Type', cell: (key) => <TypeCell apiKey={key} /> },
  { header: 'Status', cell: ({ status }) => <KeyStatus status={status} /> },
  { header: 'Expires', cell: (key) => <Expires apiKey={key} /> },
  { header: 'Last used', cell: (key) => <LastUsed apiKey={key} /> },
  { header: 'Left this hour', numeric: true, cell: (key) => <LeftCell apiKey={key} /> },
  { header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} format="date" /> },
];

/** The keys of a business. */
export function KeysTable({ keys }: { readonly keys: readonly ApiKey[] }) {
  return <DataTable label="API keys" columns={columns} rows={keys} keyOf={({ id }) => id} />;
}

function NameCell({ apiKey }: { readonly apiKey: ApiKey }) {
  const { id, name, description } = apiKey;
  return (
    <>
      <Anchor
        component={Link}
        href={`/developers/keys/${id}`}
        fw={600}
        c="var(--mantine-color-text)"
        lineClamp={2}
      >
        {name}
      </Anchor>
      {description !== '' && (
        <Text size="xs" c="dimmed" fw={400} lineClamp={1} title={description}>
          {description}
        </Text>
      )}
      <Text size="xs" c="dimmed" fw={400} ff="monospace">
        {keyHint(apiKey)}
      </Text>
    </>
  );
}

function TypeCell({ apiKey: { keyType, scopes } }: { readonly apiKey: ApiKey }) {
  return (
    <>
      <Text size="sm">{typeNames[keyType]}</Text>
      {keyType === 'secret' ? (
        <Text size="xs" c="dimmed">
          Everything
        </Text>
      ) : (
        <Group gap={4} mt={2}>
          {scopes.map((scope) => (
            <Code key={scope} fz="xs">
              {scope}
            </Code>
          ))}
        </Group>
      )}
    </>
  );
}

function LeftCell({ apiKey: { status, rollingHour } }: { readonly apiKey: ApiKey }) {
  if (status === 'expired') return '–';
  const { left, limit } = rollingHour;
  return (
    <>
      <Text
        span
        size="sm"
        fw={left === 0 ? 600 : 400}
        c={left === 0 ? 'var(--mantine-color-error)' : 'inherit'}
      >
        {left === 0 ? 'None' : count(left)}
      </Text>
      <Text span size="xs" c="dimmed" display="block">
        of {count(limit)}
      </Text>
    </>
  );
}
