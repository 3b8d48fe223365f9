import { SimpleGrid, Stack } from '@mantine/core';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { BusiestList } from './busiest-list.tsx';
import { CloseLimits } from './close-limits.tsx';
import { EndingKeys } from './ending-keys.tsx';
import { FirstCall } from './first-call.tsx';
import { type Overview, useOverview } from './overview.ts';
import { OverviewSkeleton } from './overview-skeleton.tsx';
import { StartChecklist } from './start-checklist.tsx';
import { Traffic } from './traffic.tsx';
import { type UsageSpan, useUsageSpan } from './use-usage-span.ts';

export default function OverviewPage() {
  const span = useUsageSpan();
  const query = useOverview(span.from, span.to);
  return (
    <>
      <PageHeader title="Overview" />
      <Loaded query={query} loading={<OverviewSkeleton />}>
        {(overview) => <OverviewView overview={overview} span={span} />}
      </Loaded>
    </>
  );
}

function OverviewView({ overview, span }: { readonly overview: Overview; readonly span: UsageSpan }) {
  const { hours, busiest, limits, endingKeys, start } = overview;
  const isNew = !start.firstCall && hours.length === 0;
  return (
    <Stack gap="lg">
      <StartChecklist start={start} />
      {isNew ? <FirstCall hasKey={start.keyMade} /> : <Traffic hours={hours} span={span} />}
      {!isNew && (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <BusiestList uses={busiest} />
          <Stack gap="lg">
            <CloseLimits limits={limits} />
            <EndingKeys keys={endingKeys} />
          </Stack>
        </SimpleGrid>
      )}
    </Stack>
  );
}
