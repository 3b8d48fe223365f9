import { Alert, Button, Center, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Loaded } from '../../parts/loaded.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { type ApiKey, useApiKeys } from './api-keys.ts';
import { filterKeys, readFilter, writeFilter } from './filter-keys.ts';
import { KeysFilter } from './keys-filter.tsx';
import { KeysTable } from './keys-table.tsx';
import { NoKeys } from './no-keys.tsx';

/** Rows that are added at once. */
const step = 50;

export default function KeysPage() {
  const query = useApiKeys();
  return (
    <>
      <PageHeader
        title="API keys"
        description="Keys let your own programs use the API in the name of this business."
        actions={
          <Button
            component={Link}
            href="/developers/keys/new"
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            Create a key
          </Button>
        }
      />
      <Loaded query={query}>
        {({ apiKeys, complete }) =>
          apiKeys.length === 0 ? <NoKeys /> : <KeyList keys={apiKeys} complete={complete} />
        }
      </Loaded>
    </>
  );
}

function KeyList({ keys, complete }: { readonly keys: readonly ApiKey[]; readonly complete: boolean }) {
  const [parameters, setParameters] = useSearchParams();
  const [shown, setShown] = useState(step);
  const filter = readFilter(parameters);
  const found = filterKeys(keys, filter, Date.now());
  return (
    <>
      <KeysFilter filter={filter} onChange={(next) => setParameters(writeFilter(next), { replace: true })} />
      {!complete && (
        <Alert color="yellow" mb="md" p="sm">
          Only the {count(keys.length)} newest keys are shown.
        </Alert>
      )}
      <Text size="sm" c="dimmed" mb="xs" role="status">
        {found.length === keys.length
          ? counted(keys.length, 'key')
          : `${count(found.length)} of ${counted(keys.length, 'key')}`}
      </Text>
      {found.length === 0 ? (
        <Center py="xl">
          <Text c="dimmed">No key matches.</Text>
        </Center>
      ) : (
        <KeysTable keys={found.slice(0, shown)} />
      )}
      {found.length > shown && (
        <Center mt="md">
          <Button variant="default" onClick={() => setShown(shown + step)}>
            Show more
          </Button>
        </Center>
      )}
    </>
  );
}
