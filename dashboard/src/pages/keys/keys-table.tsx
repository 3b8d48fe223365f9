import { Anchor, Checkbox, Text } from '@mantine/core';
import { Link } from 'wouter';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { formatNumber } from '../../components/format.ts';
import { Timestamp } from '../../components/timestamp.tsx';
import type { ApiKey } from './api.ts';
import { keyHint, typeNames } from './form-values.ts';
import { Expires, KeyStatus, LastUsed } from './key-cells.tsx';
import classes from './keys.module.css';
import { OldStringNote } from './old-key-strings.tsx';
import type { KeySelection } from './selection.ts';

const columns: readonly Column<ApiKey>[] = [
  { header: 'Name', cell: (key) => <NameCell apiKey={key} /> },
  { header: 'Type', cell: (key) => <TypeCell apiKey={key} /> },
  { header: 'Status', cell: (key) => <StatusCell apiKey={key} /> },
  { header: 'Last used', cell: (key) => <LastUsed apiKey={key} /> },
  { header: 'Requests left', numeric: true, cell: (key) => <RemainingCell apiKey={key} /> },
];

/** Scopes listed in a row; the rest is counted. */
const maxScopes = 2;

export function KeysTable({
  keys,
  selection,
}: {
  readonly keys: readonly ApiKey[];
  /** Absent for a person who may change nothing. */
  readonly selection: KeySelection | undefined;
}) {
  const checkbox = (key: ApiKey) => (
    <Checkbox
      aria-label={`Select ${key.name} ${keyHint(key)}`}
      checked={selection?.isSelected(key) ?? false}
      onChange={() => selection?.toggle(key)}
    />
  );
  const select = { header: 'Select', actions: true, cell: checkbox };
  return (
    <div className={classes.selectable}>
      <DataTable
        label="API keys"
        columns={selection === undefined ? columns : [select, ...columns]}
        rows={keys}
        keyOf={({ id }) => id}
        cardsBelow="md"
      />
    </div>
  );
}

function NameCell({ apiKey }: { readonly apiKey: ApiKey }) {
  const { id, name, description, createdAt } = apiKey;
  return (
    <div className={classes.name}>
      <Anchor
        component={Link}
        href={`/settings/developers/keys/${id}`}
        fw={600}
        c="var(--mantine-color-text)"
        lineClamp={2}
        title={name}
      >
        {name}
      </Anchor>
      {description !== '' && (
        <Text size="xs" c="dimmed" fw={400} lineClamp={1} title={description}>
          {description}
        </Text>
      )}
      <Text size="xs" c="dimmed" fw={400}>
        <span className={classes.mono}>{keyHint(apiKey)}</span>, created{' '}
        <Timestamp at={createdAt} format="date" />
      </Text>
      <OldStringNote apiKeyId={id} />
    </div>
  );
}

function TypeCell({ apiKey: { keyType, scopes } }: { readonly apiKey: ApiKey }) {
  const more = scopes.length - maxScopes;
  return (
    <>
      <Text size="sm">{typeNames[keyType]}</Text>
      <Text
        size="xs"
        c="dimmed"
        className={keyType === 'secret' ? '' : (classes.mono ?? '')}
        title={scopes.join(', ')}
      >
        {keyType === 'secret'
          ? 'All permissions'
          : scopes.slice(0, maxScopes).map((scope) => (
              <span key={scope} className={classes.line}>
                {scope}
              </span>
            ))}
        {more > 0 && <span className={classes.line}>and {more} more</span>}
      </Text>
    </>
  );
}

function StatusCell({ apiKey }: { readonly apiKey: ApiKey }) {
  return (
    <>
      <KeyStatus apiKey={apiKey} />
      <Text size="xs" c="dimmed" mt={4} className={classes.line}>
        <Expires apiKey={apiKey} inSentence />
      </Text>
    </>
  );
}

function RemainingCell({ apiKey: { status, rollingHour } }: { readonly apiKey: ApiKey }) {
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
        {left === 0 ? 'None' : formatNumber(left)}
      </Text>
      <Text span size="xs" c="dimmed" display="block">
        of {formatNumber(limit)}
      </Text>
    </>
  );
}
