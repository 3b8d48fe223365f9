import { Group, SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ErrorState } from '../../parts/error-state.tsx';
import { LoadingRows } from '../../parts/loading-rows.tsx';
import { UsageChart } from '../../parts/usage-chart/usage-chart.tsx';
import type { UsageUnit } from '../../parts/usage-chart/usage-point.ts';
import { dailyPoints, hourlyPoints } from '../../parts/usage-chart/usage-points.ts';
import { useApiKeyUsage } from './api-keys.ts';
import { Panel } from './panel.tsx';
import { spanOf, type UsageRange, usageRanges } from './usage-range.ts';

const height = 240;
const units: readonly { readonly value: UsageUnit; readonly label: string }[] = [
  { value: 'hour', label: 'By hour' },
  { value: 'day', label: 'By day' },
];

/** Requests of a key over time. */
export function KeyUsage({ apiKeyId }: { readonly apiKeyId: string }) {
  const [range, setRange] = useState<UsageRange>('24h');
  const [unit, setUnit] = useState<UsageUnit>('day');
  const shownUnit = range === '24h' ? 'hour' : unit;
  const { from, to } = spanOf(range, Date.now());
  const { data, error, refetch } = useApiKeyUsage(apiKeyId, from, to);
  const points = useMemo(
    () => data && (shownUnit === 'hour' ? hourlyPoints(data, from, to) : dailyPoints(data, from, to)),
    [data, shownUnit, from, to],
  );
  const choices = (
    <Group gap="xs">
      {range !== '24h' && (
        <SegmentedControl size="xs" data={[...units]} value={unit} onChange={setUnit} aria-label="Bars" />
      )}
      <SegmentedControl
        size="xs"
        data={[...usageRanges]}
        value={range}
        onChange={setRange}
        aria-label="Time"
      />
    </Group>
  );
  return (
    <Panel title="Requests" actions={choices}>
      {points !== undefined ? (
        <UsageChart points={points} unit={shownUnit} height={height} />
      ) : error === null ? (
        <LoadingRows rows={1} height={height} />
      ) : (
        <ErrorState error={error} retry={refetch} />
      )}
    </Panel>
  );
}
