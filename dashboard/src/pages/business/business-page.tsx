import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconBan, IconPlugConnectedX, IconRefresh } from '@tabler/icons-react';
import { CopyButton } from '../../components/copy.tsx';
import { Panel } from '../../components/panel.tsx';
import { DescriptionList } from '../../components/rows.tsx';
import { Loaded, LoadingRows } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { AccessPanel } from './api-access.tsx';
import classes from './business.module.css';
import { type BusinessRecord, useBusinessRecord, useFreeze } from './business.ts';
import { MemberKeysPanel } from './member-keys.tsx';
import { useTeam } from './team.ts';
import { TeamPanel } from './team-panel.tsx';
import { VerificationPanel } from './verification.tsx';

/** The business record, as the API returns it. */
function RecordPanel({ record }: { readonly record: BusinessRecord }) {
  const { numericId, uniqueId, accountHolder, username, logo, isBanned, createdAt } = record;
  return (
    <Panel title="Record" description="The data that the API returns about this business.">
      {isBanned && (
        <Alert color="red" icon={<IconBan />} title="This business is banned" role="status">
          API requests can only read this record; all others are refused. Contact support.
        </Alert>
      )}
      <DescriptionList
        items={[
          ['Name', accountHolder],
          ['Username', `@${username}`],
          ['Since', <Timestamp key="since" at={createdAt} format="date" />],
          ['Numeric ID', <Identifier key="number" value={String(numericId)} what="the numeric ID" />],
          ['Public ID', <Identifier key="id" value={uniqueId} what="the public ID" />],
          [
            'Logo',
            logo === null ? <None key="logo" /> : <Identifier key="logo" value={logo} what="the logo URL" />,
          ],
        ]}
      />
    </Panel>
  );
}

function Identifier({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <span className={classes.identifier}>
      <code>{value}</code>
      <CopyButton value={value} what={what} />
    </span>
  );
}

function None() {
  return (
    <Text span inherit c="dimmed">
      None
    </Text>
  );
}

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
  const query = useBusinessRecord();
  // Fetched at once, but shown only below a loaded record, so that the layout does not shift.
  useTeam();
  useFreeze();
  return (
    <>
      <PageHeader title="Business" description="Record, verification, team and API access." />
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
            <MemberKeysPanel />
            <AccessPanel />
          </>
        )}
      </Stack>
    </>
  );
}
