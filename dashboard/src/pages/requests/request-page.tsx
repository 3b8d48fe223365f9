import { SimpleGrid, Stack } from '@mantine/core';
import { useParams } from 'wouter';
import { ApiError } from '../../api/api-error.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { DecisionSteps } from './decision-steps.tsx';
import { NotOnRecord } from './not-on-record.tsx';
import { RequestFacts } from './request-facts.tsx';
import { RequestRemedy } from './request-remedy.tsx';
import classes from './requests.module.css';
import { type ApiRequestDetail, useRequest } from './requests.ts';

export default function RequestPage() {
  const { requestId = '' } = useParams();
  const query = useRequest(requestId);
  if (query.data !== undefined) return <RequestView request={query.data} />;
  const isMissing = query.error instanceof ApiError && query.error.status === 404;
  return (
    <>
      <PageHeader
        title={isMissing ? 'Request not found' : 'Request'}
        back={<BackLink href="/developers/requests">Requests</BackLink>}
      />
      {isMissing ? (
        <NotOnRecord isLooking={query.isFetching} lookAgain={() => void query.refetch()} />
      ) : (
        <Loaded query={query}>{() => null}</Loaded>
      )}
    </>
  );
}

function RequestView({ request }: { readonly request: ApiRequestDetail }) {
  const { title, method, path } = request;
  return (
    <>
      <PageHeader
        title={title}
        description={
          <code className={classes.line}>
            {method} {path}
          </code>
        }
        back={<BackLink href="/developers/requests">Requests</BackLink>}
      />
      <Stack gap="lg">
        <RequestRemedy request={request} />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <DecisionSteps request={request} />
          <RequestFacts request={request} />
        </SimpleGrid>
      </Stack>
    </>
  );
}
