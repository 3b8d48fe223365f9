import { Stack } from '@mantine/core';
import { Loaded } from '../../parts/loaded.tsx';
import { LoadingRows } from '../../parts/loading-rows.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { AccessPanel } from './access-panel.tsx';
import { useBusinessRecord, useFreeze } from './business.ts';
import { NotAvailable } from './not-available.tsx';
import { RecordPanel } from './record-panel.tsx';
import { useTeam } from './team.ts';
import { TeamPanel } from './team-panel.tsx';
import { VerificationPanel } from './verification-panel.tsx';

export default function BusinessPage() {
  const query = useBusinessRecord();
  // Asked for at once, and shown when it is settled how much stands above: nothing moves away from under a hand.
  useTeam();
  useFreeze();
  return (
    <>
      <PageHeader
        title="Business"
        description="Who this business is, who looks after it, and whether programs get in."
      />
      <Stack gap="lg">
        <Loaded query={query} loading={<LoadingRows rows={4} height={160} />}>
          {({ record, verification }) =>
            record === null || verification === null ? (
              <NotAvailable isFetching={query.isFetching} retry={query.refetch} />
            ) : (
              <>
                <RecordPanel record={record} />
                <VerificationPanel verification={verification} />
              </>
            )
          }
        </Loaded>
        {!query.isPending && (
          <>
            <TeamPanel />
            <AccessPanel />
          </>
        )}
      </Stack>
    </>
  );
}
