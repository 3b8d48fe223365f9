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
        description="API requests that were refused or failed, and why. Each answer has an X-Request-Id to find it by. Kept for 7 days, for one day where nobody knows whose it was, and never with keys, tokens or bodies."
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
            <NoResults text="No refused or failed request matches." onClear={onClear} />
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
    <EmptyState icon={IconMoodCheck} title="Nothing was refused and nothing failed">
      In the last 7 days every request of this business got what it asked for, or none came.
    </EmptyState>
  );
}
