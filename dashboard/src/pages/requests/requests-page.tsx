import { Button, Stack } from '@mantine/core';
import { IconMoodCheck, IconRefresh } from '@tabler/icons-react';
import { useSearchParams } from 'wouter';
import { LoadMore } from '../../components/rows.tsx';
import { EmptyState, Loaded, NoResults } from '../../components/states.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { RequestSearch } from './request-search.tsx';
import { isFiltered, parseFilter, type RequestFilter, serializeFilter, useRequests } from './requests.ts';
import { RequestsFilter } from './requests-filter.tsx';
import { RequestsTable } from './requests-table.tsx';

export default function RequestsPage() {
  const [parameters, setParameters] = useSearchParams();
  const filter = parseFilter(parameters);
  const query = useRequests(filter);
  const change = (next: RequestFilter) => setParameters(serializeFilter(next), { replace: true });
  return (
    <>
      <PageHeader
        title="Requests"
        description="Failed API requests, and failed OAuth requests of your apps, with their causes. Find one by the X-Request-Id of its response. Kept for 7 days, or one day if the credential was unknown; keys, tokens, secrets and bodies are never stored."
        actions={
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={query.isRefetching && !query.isFetchingNextPage}
            onClick={() => void query.refetch()}
          >
            Refresh
          </Button>
        }
      />
      <Stack gap="lg">
        <RequestSearch />
        <div>
          <RequestsFilter filter={filter} onChange={change} />
          <RequestList query={query} isFiltered={isFiltered(filter)} onClear={() => setParameters({})} />
        </div>
      </Stack>
    </>
  );
}

function RequestList({
  query,
  isFiltered,
  onClear,
}: {
  readonly query: ReturnType<typeof useRequests>;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}) {
  return (
    <Loaded query={query}>
      {(requests) => {
        if (requests.length === 0) {
          return isFiltered ? (
            <NoResults text="No failed requests match." onClear={onClear} />
          ) : (
            <NoRequests />
          );
        }
        return (
          <>
            <RequestsTable requests={requests} />
            <LoadMore query={query} />
          </>
        );
      }}
    </Loaded>
  );
}

function NoRequests() {
  return (
    <EmptyState icon={IconMoodCheck} title="No failed requests">
      None of this business’s API requests, and no OAuth request of its apps, failed in the last 7 days.
    </EmptyState>
  );
}
