import { Anchor, Text } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { Panel } from '../../parts/panel.tsx';
import { UsageChart } from '../../parts/usage-chart/usage-chart.tsx';
import { UsageChoices } from '../../parts/usage-chart/usage-choices.tsx';
import { dailyPoints, hourlyPoints, type UsageHour } from '../../parts/usage-chart/usage-points.ts';
import { usageRanges } from '../../parts/usage-chart/usage-range.ts';
import { TrafficTotals } from './traffic-totals.tsx';
import { totalsOf } from './usage-totals.ts';
import type { UsageSpan } from './use-usage-span.ts';

/** Ranges of this page: longer ones are on the page of each key. */
const ranges = usageRanges.filter(({ value }) => value !== '90d');

/** Requests over time, and what became of them. */
export function Traffic({ hours, span }: { readonly hours: readonly UsageHour[]; readonly span: UsageSpan }) {
  const { from, to, unit } = span;
  const points = useMemo(
    () => (unit === 'hour' ? hourlyPoints(hours, from, to) : dailyPoints(hours, from, to)),
    [hours, unit, from, to],
  );
  const totals = totalsOf(hours);
  const hasErrors = totals.refused + totals.limited + totals.failed > 0;
  return (
    <Panel title="Requests" actions={<UsageChoices ranges={ranges} {...span.choices} />}>
      <TrafficTotals totals={totals} />
      <UsageChart points={points} unit={unit} />
      {hasErrors && (
        <Text size="sm">
          <Anchor component={Link} href="/developers/requests">
            See which requests were refused or failed, and why
          </Anchor>
        </Text>
      )}
    </Panel>
  );
}
