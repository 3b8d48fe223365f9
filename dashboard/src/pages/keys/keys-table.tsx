import { Anchor, Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { type Column, DataTable } from '../../parts/data-table/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { count } from '../../parts/numbers.ts';
import { Panel } from '../../parts/panel.tsx';
import { Row, Rows } from '../../parts/rows.tsx';
import type { ApiKey, ApiKeyDetail } from './api.ts';
import { keyHint, typeNames } from './draft.ts';
import { Expires, KeyStatus, LastUsed } from './key-cells.tsx';
import classes from './keys.module.css';

const columns: readonly Column<ApiKey>[] = [
  { header: 'Name', cell: (key) => <NameCell apiKey={key} /> },
  { header: 'Type', cell: (key) => <TypeCell apiKey={key} /> },
  { header: 'Status', cell: (key) => <StatusCell apiKey={key} /> },
  { header: 'Last used', cell: (key) => <LastUsed apiKey={key} /> },
  { header: 'Left this hour', numeric: true, cell: (key) => <LeftCell apiKey={key} /> },
];

/** Scopes that a row names; the others are counted. */
const maxScopes = 2;

/** The keys of a business. */
export function KeysTable({ keys }: { readonly keys: readonly ApiKey[] }) {
  return <DataTable label="API keys" columns={columns} rows={keys} keyOf={({ id }) => id} cardsBelow="md" />;
}

function NameCell({ apiKey }: { readonly apiKey: ApiKey }) {
  const { id, name, description, createdAt } = apiKey;
  return (
    <div className={classes.name}>
      <Anchor
        component={Link}
        href={`/developers/keys/${id}`}
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
        <Moment at={createdAt} format="date" />
      </Text>
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
          ? 'May do everything'
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
      <KeyStatus status={apiKey.status} />
      <Text size="xs" c="dimmed" mt={4} className={classes.line}>
        <Expires apiKey={apiKey} inSentence />
      </Text>
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

/** The acts that end something. */
export function KeyActions({
  apiKey,
  onRotate,
  onDelete,
}: {
  readonly apiKey: ApiKeyDetail;
  readonly onRotate: () => void;
  readonly onDelete: () => void;
}) {
  const isExpired = apiKey.status === 'expired';
  return (
    <Panel title="Replace or remove">
      <Rows isStacked>
        <Act
          title="Rotate"
          text={
            isExpired
              ? 'An expired key cannot be rotated. Make a second key in its place.'
              : 'Replaces the key string when it may have been seen by others. The old string stops working at once.'
          }
          button={
            <Button variant="default" onClick={onRotate} disabled={isExpired}>
              Rotate key
            </Button>
          }
        />
        <Act
          title="Delete"
          text={
            isExpired
              ? 'Removes the key from the list, for ever.'
              : 'Removes the key for ever. Whatever uses it loses access at once.'
          }
          button={
            <Button variant="outline" color="red" onClick={onDelete}>
              Delete key
            </Button>
          }
        />
      </Rows>
    </Panel>
  );
}

function Act({
  title,
  text,
  button,
}: {
  readonly title: string;
  readonly text: string;
  readonly button: ReactNode;
}) {
  return (
    <Row end={button}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </Row>
  );
}
