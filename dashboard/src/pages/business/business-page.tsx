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
import { useTeam } from './team.ts';
import { TeamPanel } from './team-panel.tsx';
import { VerificationPanel } from './verification.tsx';

/** The business as programs see it, too. */
function RecordPanel({ record }: { readonly record: BusinessRecord }) {
  const { numericId, uniqueId, accountHolder, username, logo, isBanned, createdAt } = record;
  return (
    <Panel title="Record" description="What programs with access to this business are told of it.">
      {isBanned && (
        <Alert color="red" icon={<IconBan />} title="This business is banned" role="status">
          Programs may only read this record. Everything else is refused. Please write to our support.
        </Alert>
      )}
      <DescriptionList
        items={[
          ['Name', accountHolder],
          ['Username', `@${username}`],
          ['Since', <Timestamp key="since" at={createdAt} format="date" />],
          ['Number', <Identifier key="number" value={String(numericId)} what="the number" />],
          ['Public id', <Identifier key="id" value={uniqueId} what="the public id" />],
          [
            'Logo',
            logo === null ? (
              <None key="logo" />
            ) : (
              <Identifier key="logo" value={logo} what="the logo’s address" />
            ),
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

/** In the place of what another part of the platform knows, while that does not answer. */
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
      title="Record and verification are not available right now"
      role="status"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          The part of the platform that keeps them does not answer at the moment. Nothing is lost. Team and
          access below work as always.
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
            <AccessPanel />
          </>
        )}
      </Stack>
    </>
  );
}
