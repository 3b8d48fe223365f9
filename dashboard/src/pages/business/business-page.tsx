import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconPlugConnectedX, IconRefresh } from '@tabler/icons-react';
import { Loaded, LoadingRows } from '../../components/states.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { AccessPanel } from './api-access.tsx';
import { useBusinessRecord, useFreeze } from './business.ts';
import { EraseCustomerPanel } from './erase-customer.tsx';
import { KeyLifetimePanel } from './key-lifetime.tsx';
import { LeakPolicyPanel } from './leak-policy.tsx';
import { MemberKeysPanel } from './member-keys.tsx';
import { RecordPanel } from './record.tsx';
import { RequiredFactorPanel, useRequiredFactor } from './required-factor.tsx';
import { useTeam } from './team.ts';
import { TeamPanel } from './team-panel.tsx';
import { VerificationPanel } from './verification.tsx';

/** Shown while business-service is unavailable. */
function RecordUnavailable({
  isFetching,
  retry,
}: {
  readonly isFetching: boolean;
  readonly retry: () => unknown;
}) {
  return (
    <Alert
      color="yellow"
      icon={<IconPlugConnectedX />}
      title="Record and verification are temporarily unavailable"
      role="status"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          The service that stores them is not responding. No data is lost. Team and API access below are not
          affected.
        </Text>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh size={14} aria-hidden />}
          loading={isFetching}
          onClick={() => void retry()}
        >
          Try again
        </Button>
      </Stack>
    </Alert>
  );
}

export default function BusinessPage() {
  const { role } = useBusiness();
  const query = useBusinessRecord();
  // Fetched at once, but shown only below a loaded record, so that the layout does not shift.
  useTeam();
  useFreeze();
  useRequiredFactor();
  return (
    <>
      <PageHeader title="Business" description="Record, verification, team, customers and API access." />
      <Stack gap="lg">
        <Loaded query={query} loading={<LoadingRows rows={4} height={160} />}>
          {({ record, verification }) =>
            record === null || verification === null ? (
              <RecordUnavailable isFetching={query.isFetching} retry={query.refetch} />
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
            <RequiredFactorPanel />
            <MemberKeysPanel />
            <KeyLifetimePanel />
            <LeakPolicyPanel />
            {role === 'owner' && <EraseCustomerPanel />}
            <AccessPanel />
          </>
        )}
      </Stack>
    </>
  );
}
