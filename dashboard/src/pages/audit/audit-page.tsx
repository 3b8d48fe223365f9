import { Group, Select } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { api } from '../../api/client.ts';
import { DateRangeFields } from '../../components/date-range-fields.tsx';
import { ExportCsv } from '../../components/export-csv.tsx';
import { LoadMore } from '../../components/rows.tsx';
import { Loaded, NoResults } from '../../components/states.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import {
  type AuditFilter,
  actorDetail,
  actorName,
  parseFilter,
  serializeFilter,
  toQuery,
  useAuditActions,
  useAuditActors,
  useAuditLog,
} from './audit.ts';
import { AuditTable } from './events.tsx';

/** Selects an actor. */
function ActorSelect({
  value,
  onChange,
}: {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}) {
  const { data = [] } = useAuditActors();
  const known = data.map((actor) => ({
    value: `${actor.kind}:${actor.id}`,
    label: [actorName(actor), actorDetail(actor)].filter((text) => text !== undefined).join(' · '),
  }));
  const isKnown = value === undefined || known.some((option) => option.value === value);
  return (
    <Select
      flex="1 1 12rem"
      maw={{ base: '100%', sm: '20rem' }}
      label="Actor"
      placeholder="Anyone"
      data={isKnown ? known : [...known, { value, label: value }]}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      clearable
      nothingFoundMessage="No match"
    />
  );
}

/** Selects an action, or all of a kind. */
function ActionSelect({
  value,
  onChange,
}: {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}) {
  const { data = [], isSuccess } = useAuditActions();
  const isListed = data.some(({ items }) => items.some((item) => item.value === value));
  const unlisted =
    value === undefined || isListed || !isSuccess
      ? []
      : [{ group: 'Chosen', items: [{ value, label: value }] }];
  return (
    <Select
      flex="1 1 14rem"
      maw={{ base: '100%', sm: '20rem' }}
      label="Action"
      placeholder="All actions"
      data={[...unlisted, ...data]}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      clearable
      nothingFoundMessage="No match"
    />
  );
}

/** Filters the audit log. */
function AuditFilterBar({
  filter,
  onChange,
}: {
  readonly filter: AuditFilter;
  readonly onChange: (filter: AuditFilter) => void;
}) {
  return (
    <Group gap="sm" mb="md" align="flex-end" role="group" aria-label="Filters">
      <ActionSelect value={filter.action} onChange={(action) => onChange({ ...filter, action })} />
      <ActorSelect value={filter.actor} onChange={(actor) => onChange({ ...filter, actor })} />
      <DateRangeFields value={filter} onChange={(days) => onChange({ ...filter, ...days })} />
    </Group>
  );
}

/** Exports the filtered events as CSV. */
function ExportButton({ filter }: { readonly filter: AuditFilter }) {
  const { id: businessId } = useBusiness();
  const params = { path: { businessId }, query: toQuery(filter) };
  return (
    <ExportCsv
      hint="The filtered events, at most the newest 10,000"
      fetchFile={() => api.GET('/businesses/{businessId}/audit-events.csv', { params, parseAs: 'blob' })}
    />
  );
}

export default function AuditPage() {
  const [parameters, setParameters] = useSearchParams();
  const filter = parseFilter(parameters);
  const query = useAuditLog(filter);
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Security-relevant actions in this business. The log cannot be changed or deleted. An export has at most the newest 10,000 events."
        actions={<ExportButton filter={filter} />}
      />
      <AuditFilterBar
        filter={filter}
        onChange={(next) => setParameters(serializeFilter(next), { replace: true })}
      />
      <Loaded query={query}>
        {(events) => {
          if (events.length === 0) {
            return <NoResults text="No events match." onClear={() => setParameters({})} />;
          }
          return (
            <>
              <AuditTable events={events} />
              <LoadMore query={query} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}
