import { Stack, Tabs } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { api } from '../../api/client.ts';
import { ExportCsv } from '../../components/export-csv.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { useBusiness, useSession } from '../../shell/session-context.ts';
import { Durations } from './durations.tsx';
import { parseFilter, type RequestFilter, readSearch, serializeFilter, toQuery } from './filter.ts';
import { Groups } from './groups.tsx';
import { describeKept } from './log.ts';
import { RequestList } from './request-list.tsx';
import { RequestSearch } from './request-search.tsx';
import { closedQuery } from './requests.ts';
import { RequestsFilter } from './requests-filter.tsx';

const views = [
  { value: 'list', label: 'List' },
  { value: 'groups', label: 'Errors by reason' },
  { value: 'durations', label: 'Durations' },
] as const;

type View = (typeof views)[number]['value'];

const viewOf = (name: string | null): View => views.find(({ value }) => value === name)?.value ?? 'list';

export default function RequestsPage() {
  const { requestsKept } = useSession();
  const [parameters, setParameters] = useSearchParams();
  const view = viewOf(parameters.get('view'));
  const filter = parseFilter(parameters);
  const show = (next: Partial<RequestFilter>, shown: View = view) => {
    const changed = serializeFilter(next);
    if (shown !== 'list') changed.set('view', shown);
    setParameters(changed, { replace: true });
  };
  return (
    <>
      <PageHeader
        title="Requests"
        description={`API requests of this business and OAuth requests of its apps: ${describeKept(requestsKept)}. Bodies, values of queries, keys, tokens and secrets are never stored.`}
        actions={<Actions view={view} filter={filter} />}
      />
      <Stack gap="lg">
        <RequestSearch
          text={filter.address ?? filter.text}
          onSearch={(text) => show({ ...filter, ...readSearch(text) })}
        />
        <RequestsFilter
          filter={filter}
          wholeTime={view === 'list' ? 'All' : 'Last 24 hours'}
          onChange={(next) => show(next)}
        />
        <Tabs value={view} onChange={(name) => show(filter, viewOf(name))} keepMounted={false}>
          <Tabs.List mb="md" aria-label="Requests">
            {views.map(({ value, label }) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="list">
            <RequestList filter={filter} onClear={() => show({})} />
          </Tabs.Panel>
          <Tabs.Panel value="groups">
            <Groups filter={filter} />
          </Tabs.Panel>
          <Tabs.Panel value="durations">
            <Durations filter={filter} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </>
  );
}

/** The export of what a view shows. */
function Actions({ view, filter }: { readonly view: View; readonly filter: RequestFilter }) {
  const { id: businessId } = useBusiness();
  const path = { businessId };
  switch (view) {
    case 'list':
      return (
        <ExportCsv
          hint="The filtered requests, at most the newest 10,000"
          fetchFile={() => {
            const query = toQuery(filter, Date.now());
            const params = { path, query };
            return api.GET('/businesses/{businessId}/requests.csv', { params, parseAs: 'blob' });
          }}
        />
      );
    case 'groups':
      return (
        <ExportCsv
          hint="The rows that are shown"
          fetchFile={() => {
            const params = { path, query: closedQuery(filter) };
            return api.GET('/businesses/{businessId}/request-groups.csv', { params, parseAs: 'blob' });
          }}
        />
      );
    default:
      return null;
  }
}
