import {
  Alert,
  Button,
  Center,
  CloseButton,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconKey, IconPlus, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { formatNumber, pluralize } from '../../components/format.ts';
import { Surface } from '../../components/panel.tsx';
import { EmptyState, ErrorAlert, Loaded } from '../../components/states.tsx';
import { ViewerNote } from '../../components/viewer-note.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { useMayChange } from '../../shell/session-context.ts';
import { type ApiKey, useApiKeys, useFoundApiKeys } from './api.ts';
import { keyTypes } from './form-values.ts';
import { filterKeys, type KeyFilter, parseFilter, serializeFilter } from './key-filter.ts';
import { KeysTable } from './keys-table.tsx';

const types = [
  { value: 'secret', label: 'Secret' },
  { value: 'restricted', label: 'Restricted' },
];

const statuses = [
  { value: 'active', label: 'Active' },
  { value: 'soon', label: 'Expiring soon' },
  { value: 'expired', label: 'Expired' },
];

/** Filters the list of keys. */
function KeysFilter({
  filter,
  onChange,
}: {
  readonly filter: KeyFilter;
  readonly onChange: (filter: KeyFilter) => void;
}) {
  const choose = (name: 'type' | 'status') => (value: string | null) => {
    const chosen = parseFilter(new URLSearchParams({ [name]: value ?? '' }));
    onChange({ ...filter, [name]: chosen[name] });
  };
  return (
    <Group gap="sm" mb="md" role="search" aria-label="API keys">
      <TextInput
        flex={{ base: '1 1 100%', md: '1 1 16rem' }}
        aria-label="Search by name or last four characters"
        placeholder="Name or last four characters"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          filter.text !== '' && (
            <CloseButton
              size="sm"
              aria-label="Clear search"
              onClick={() => onChange({ ...filter, text: '' })}
            />
          )
        }
        value={filter.text}
        onChange={(event) => onChange({ ...filter, text: event.currentTarget.value })}
      />
      <Select
        flex="1 1 9rem"
        maw={{ md: '12rem' }}
        aria-label="Type"
        placeholder="All types"
        data={types}
        value={filter.type ?? null}
        onChange={choose('type')}
        clearable
      />
      <Select
        flex="1 1 9rem"
        maw={{ md: '12rem' }}
        aria-label="Status"
        placeholder="All statuses"
        data={statuses}
        value={filter.status ?? null}
        onChange={choose('status')}
        clearable
      />
    </Group>
  );
}

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
  const query = useApiKeys();
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
      <Loaded query={query}>
        {({ apiKeys, complete }) =>
          apiKeys.length === 0 ? <NoKeys /> : <KeyList keys={apiKeys} complete={complete} />
        }
      </Loaded>
    </>
  );
}

interface KeyListProps {
  readonly keys: readonly ApiKey[];
  /** Whether these are all. */
  readonly complete: boolean;
}

/** The keys in which a text is looked for; those that a search finds, where the keys are not all. */
function useListedKeys({ keys, complete }: KeyListProps, text: string) {
  const isSearched = !complete && text.trim() !== '';
  const found = useFoundApiKeys(text, { enabled: isSearched });
  if (!isSearched) return { listed: keys, isWhole: complete, isSearched, status: undefined, error: null };
  const { data, error } = found;
  const status = data === undefined && error === null ? 'Searching…' : undefined;
  return { listed: data?.apiKeys ?? [], isWhole: data?.complete !== false, isSearched, status, error };
}

function KeyList(props: KeyListProps) {
  const [parameters, setParameters] = useSearchParams();
  const [shown, setShown] = useState(pageSize);
  const filter = parseFilter(parameters);
  const { listed, isWhole, isSearched, status, error } = useListedKeys(props, filter.text);
  const matching = filterKeys(listed, filter, Date.now());
  return (
    <>
      <KeysFilter
        filter={filter}
        onChange={(next) => setParameters(serializeFilter(next), { replace: true })}
      />
      {!isWhole && (
        <Alert color="yellow" mb="md" p="sm">
          Only the {formatNumber(listed.length)} newest {isSearched && 'matching '}keys are listed. A{' '}
          {isSearched && 'longer '}search finds the others.
        </Alert>
      )}
      <ErrorAlert error={error} />
      <Text size="sm" c="dimmed" mb="xs" role="status">
        {status ??
          (matching.length === listed.length
            ? pluralize(listed.length, isSearched ? 'matching key' : 'key')
            : `${formatNumber(matching.length)} of ${pluralize(listed.length, 'key')}`)}
      </Text>
      {matching.length > 0 && <KeysTable keys={matching.slice(0, shown)} />}
      {matching.length === 0 && status === undefined && error === null && (
        <Center py="xl">
          <Text c="dimmed">No keys match.</Text>
        </Center>
      )}
      {matching.length > shown && (
        <Center mt="md">
          <Button variant="default" onClick={() => setShown(shown + pageSize)}>
            Show more
          </Button>
        </Center>
      )}
    </>
  );
}
