import { useSearchParams } from 'wouter';
import { LoadMore } from '../../parts/load-more.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { NoMatch } from '../../parts/no-match.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { readFilter, writeFilter } from './audit-filter.ts';
import { AuditFilterBar } from './audit-filter-bar.tsx';
import { useAuditLog } from './audit-log.ts';
import { AuditTable } from './audit-table.tsx';
import { ExportButton } from './export-button.tsx';

export default function AuditPage() {
  const [parameters, setParameters] = useSearchParams();
  const filter = readFilter(parameters);
  const query = useAuditLog(filter);
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Who did what that matters for the security of this business. Nobody can change or delete it. An export has the newest 10,000 events."
        actions={<ExportButton filter={filter} />}
      />
      <AuditFilterBar
        filter={filter}
        onChange={(next) => setParameters(writeFilter(next), { replace: true })}
      />
      <Loaded query={query}>
        {(events) => {
          if (events.length === 0) {
            return <NoMatch text="Nothing on record matches." onClear={() => setParameters({})} />;
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
