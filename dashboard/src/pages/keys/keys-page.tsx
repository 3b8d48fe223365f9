import { Alert, Button, Center, Checkbox, Group, SimpleGrid, Space, Stack, Text } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { formatNumber, pluralize } from '../../components/format.ts';
import { Surface } from '../../components/panel.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { ViewerNote } from '../../components/viewer-note.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { useMayChange } from '../../shell/session-context.ts';
import { type ApiKey, useApiKeys } from './api.ts';
import { SelectionBar } from './delete-keys.tsx';
import { keyTypes } from './form-values.ts';
import { type KeyFilter, parseFilter, serializeFilter } from './key-filter.ts';
import { KeysFilter } from './keys-filter.tsx';
import { KeysTable } from './keys-table.tsx';
import { DeletedKeyStrings } from './old-key-strings.tsx';
import { useKeySelection } from './selection.ts';

/** Empty state: explains keys and their types. */
function NoKeys() {
  const mayChange = useMayChange();
  return (
    <Stack gap="lg">
      <EmptyState
        icon={IconKey}
        title="No API keys yet"
        action={
          mayChange && (
            <Button component={Link} href="/settings/developers/keys/new">
              Create your first key
            </Button>
          )
        }
      >
        A key lets your programs use the API on behalf of your business. Create one for each program.
      </EmptyState>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {keyTypes.map(({ type, label, summary: short, description: explanation }) => (
          <Surface key={type}>
            <Text fw={600}>{label}</Text>
            <Text size="sm" mt={4}>
              {short}
            </Text>
            <Text size="sm" c="dimmed" mt={4}>
              {explanation}
            </Text>
          </Surface>
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** Rows added by "Show more". */
const pageSize = 50;

export default function KeysPage() {
  const [parameters, setParameters] = useSearchParams();
  const filter = parseFilter(parameters);
  const { query, isSearching } = useApiKeys(filter);
  const { data, error } = query;
  return (
    <>
      <PageHeader
        title="API Keys"
        description="Keys let your programs use the API on behalf of this business."
        actions={
          useMayChange() && (
            <Button
              component={Link}
              href="/settings/developers/keys/new"
              leftSection={<IconPlus size={16} aria-hidden />}
            >
              Create a key
            </Button>
          )
        }
      />
      <ViewerNote>create or change API keys</ViewerNote>
      {data?.isFiltered === false && data.apiKeys.length === 0 ? (
        <NoKeys />
      ) : (
        <>
          {(data !== undefined || error !== null) && (
            <KeysFilter
              filter={filter}
              onChange={(next) => setParameters(serializeFilter(next), { replace: true })}
            />
          )}
          <Loaded query={query}>
            {(list) => <KeyList {...list} sort={filter.sort} isSearching={isSearching} />}
          </Loaded>
        </>
      )}
      <Space h="lg" />
      <DeletedKeyStrings />
    </>
  );
}

interface KeyListProps {
  readonly apiKeys: readonly ApiKey[];
  readonly complete: boolean;
  readonly isFiltered: boolean;
  readonly sort: KeyFilter['sort'];
  /** Whether the keys are still those of the previous filter. */
  readonly isSearching: boolean;
}

function KeyList({ apiKeys, complete, isFiltered, sort, isSearching }: KeyListProps) {
  const mayChange = useMayChange();
  const [count, setCount] = useState(pageSize);
  const shown = apiKeys.slice(0, count);
  const selection = useKeySelection(shown);
  const selectAll = useRef<HTMLInputElement>(null);
  const selected = selection.keys.length === 0 ? [] : [`${formatNumber(selection.keys.length)} selected`];
  const found = isSearching ? 'Searching…' : pluralize(apiKeys.length, isFiltered ? 'matching key' : 'key');
  return (
    <>
      {!complete && <NotWhole listed={apiKeys.length} isFiltered={isFiltered} sort={sort} />}
      <Group mb="xs" justify="space-between" gap="xs">
        {mayChange && shown.length > 0 && (
          <Checkbox
            ref={selectAll}
            ps="md"
            label={`Select all ${formatNumber(shown.length)} shown`}
            checked={selection.keys.length === shown.length}
            indeterminate={selection.keys.length > 0 && selection.keys.length < shown.length}
            onChange={(event) => selection.setAll(event.currentTarget.checked)}
          />
        )}
        <Text size="sm" c="dimmed" role="status">
          {[found, ...selected].join(', ')}
        </Text>
      </Group>
      {shown.length > 0 && <KeysTable keys={shown} selection={mayChange ? selection : undefined} />}
      {shown.length === 0 && !isSearching && (
        <Center py="xl">
          <Text c="dimmed">No keys match.</Text>
        </Center>
      )}
      {apiKeys.length > count && (
        <Center mt="md">
          <Button variant="default" onClick={() => setCount(count + pageSize)}>
            Show more
          </Button>
        </Center>
      )}
      {mayChange && (
        <SelectionBar
          keys={selection.keys}
          onClear={() => {
            selection.setAll(false);
            selectAll.current?.focus();
          }}
        />
      )}
    </>
  );
}

function NotWhole({
  listed,
  isFiltered,
  sort,
}: Pick<KeyListProps, 'isFiltered' | 'sort'> & { readonly listed: number }) {
  const number = formatNumber(listed);
  return (
    <Alert color="yellow" mb="md" p="sm">
      Only the {sort === 'newest' ? `${number} newest` : `first ${number}`} {isFiltered && 'matching '}keys
      are listed. {isFiltered ? 'A narrower' : 'A'} search or filter finds the others.
    </Alert>
  );
}
