import { Button, List, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconMapSearch, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { ApiError } from '../../api/errors.ts';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { BackLink, PageHeader } from '../../shell/page-header.tsx';
import { useSession } from '../../shell/session-context.ts';
import { readSearch, requestsPath } from './filter.ts';
import { describeKept } from './log.ts';
import { RequestChecks } from './request-checks.tsx';
import { RequestFacts } from './request-facts.tsx';
import { RequestRemedy } from './request-remedy.tsx';
import { RequestSearch } from './request-search.tsx';
import classes from './requests.module.css';
import { type ApiRequestDetail, useRequest } from './requests.ts';
import { isRepeatable, TryAgain } from './try-again.tsx';

/** Explains why no request is recorded under an id. */
function RequestNotFound({ isFetching, onRetry }: { readonly isFetching: boolean; onRetry(): void }) {
  const { requestsKept } = useSession();
  const [, navigate] = useLocation();
  return (
    <Stack gap="lg">
      <RequestSearch onSearch={(text) => navigate(requestsPath(readSearch(text)))} />
      <EmptyState
        icon={IconMapSearch}
        title="No request with this ID"
        action={
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={isFetching}
            onClick={onRetry}
          >
            Check again
          </Button>
        }
      />
      <div>
        <Text size="sm" fw={600} mb="xs">
          Possible reasons
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>It was made just now: records take a few seconds to appear.</List.Item>
          <List.Item>
            It is no longer kept: the log has {describeKept(requestsKept)}; one day if its credential is
            unknown.
          </List.Item>
          <List.Item>
            It belongs to another business, or was neither an API request nor one to an OAuth endpoint.
          </List.Item>
          <List.Item>Too many requests came at once to record all of them.</List.Item>
        </List>
      </div>
    </Stack>
  );
}

export default function RequestPage() {
  const { requestId = '' } = useParams();
  const query = useRequest(requestId);
  if (query.data !== undefined) return <RequestView key={requestId} request={query.data} />;
  const isMissing = query.error instanceof ApiError && query.error.status === 404;
  return (
    <>
      <PageHeader
        title={isMissing ? 'Request not found' : 'Request'}
        back={<BackLink href="/settings/developers/requests">Requests</BackLink>}
      />
      {isMissing ? (
        <RequestNotFound isFetching={query.isFetching} onRetry={() => void query.refetch()} />
      ) : (
        <Loaded query={query}>{() => null}</Loaded>
      )}
    </>
  );
}

function RequestView({ request }: { readonly request: ApiRequestDetail }) {
  const [repeatedId, setRepeatedId] = useState('');
  const repeated = useRequest(repeatedId, { isAwaited: true }).data;
  const shown = repeated ?? request;
  return (
    <>
      <PageHeader
        title={shown.title}
        description={
          <>
            <code className={classes.line}>
              {shown.method} {shown.path}
            </code>
            {repeated !== undefined && (
              <Text span display="block">
                The request that you sent just now. The one before: {request.status}, {request.title}.
              </Text>
            )}
          </>
        }
        back={<BackLink href="/settings/developers/requests">Requests</BackLink>}
      />
      <Stack gap="lg">
        {shown.explanation !== null && (
          <RequestRemedy key={shown.id} request={shown} explanation={shown.explanation} />
        )}
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <RequestChecks request={shown} />
          <Stack gap="lg">
            <RequestFacts request={shown} />
            {isRepeatable(request) && (
              <TryAgain request={request} isRecorded={repeated !== undefined} onSent={setRepeatedId} />
            )}
          </Stack>
        </SimpleGrid>
      </Stack>
    </>
  );
}
