import {
  Button,
  Center,
  Group,
  SegmentedControl,
  Skeleton,
  Text,
  useComputedColorScheme,
} from '@mantine/core';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { lazyComponent, useLazyComponent } from '../lazy-component.ts';
import { Panel } from '../panel.tsx';
import { ErrorState, LoadingRows } from '../states.tsx';
import { backgroundColour, fillFor } from './fills.ts';
import {
  dailyPoints,
  describeUsage,
  hourlyPoints,
  timeRangeOf,
  totalRequests,
  type UsageClass,
  type UsageHour,
  type UsagePoint,
  type UsageRange,
  type UsageUnit,
  usageClasses,
  usageRanges,
} from './usage.ts';
import classes from './usage-chart.module.css';

const size = 12;

/** A class as its bars look, for the legend. */
function Swatch({ name }: { readonly name: UsageClass }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context === null || context === undefined) return;
    context.fillStyle = fillFor(name, scheme, backgroundColour(context.canvas));
    context.fillRect(0, 0, size, size);
  }, [name, scheme]);
  return <canvas ref={canvas} width={size} height={size} aria-hidden />;
}

const chartCanvas = lazyComponent(() => import('./chart-canvas.tsx'));

const usageTable = lazyComponent(() => import('./usage-table.tsx'));

/** Requests over time by class: bars for who sees them, a sentence for who does not, a table for who wants the numbers. */
export function UsageChart({
  points,
  unit,
  height = 240,
}: {
  /** Oldest first, without gaps. */
  readonly points: readonly UsagePoint[];
  readonly unit: UsageUnit;
  /** In pixels. */
  readonly height?: number;
}) {
  const [isTable, setTable] = useState(false);
  const isEmpty = points.every((point) => totalRequests(point) === 0);
  const ChartCanvas = useLazyComponent(isEmpty || isTable ? undefined : chartCanvas);
  const UsageTable = useLazyComponent(isTable ? usageTable : undefined);
  if (isEmpty) {
    return (
      <Center h={height}>
        <Text c="dimmed">No requests in this time.</Text>
      </Center>
    );
  }
  return (
    <div>
      <Group justify="space-between" mb="sm" gap="xs">
        <Group gap="md" component="ul" className={classes.legend ?? ''}>
          {usageClasses.map(({ name, label }) => (
            <Group key={name} gap={6} component="li">
              <Swatch name={name} />
              <Text span size="xs" c="dimmed">
                {label}
              </Text>
            </Group>
          ))}
        </Group>
        <Button
          variant="subtle"
          color="gray"
          c="dimmed"
          fw={500}
          size="compact-sm"
          leftSection={isTable ? <IconChartBar size={14} aria-hidden /> : <IconTable size={14} aria-hidden />}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? 'Show as chart' : 'Show as table'}
        </Button>
      </Group>
      {UsageTable !== undefined && <UsageTable points={points} unit={unit} height={height} />}
      {ChartCanvas !== undefined && (
        <div className={classes.chart} style={{ height }} role="img" aria-label={describeUsage(points, unit)}>
          <ChartCanvas points={points} unit={unit} />
        </div>
      )}
      {UsageTable === undefined && ChartCanvas === undefined && <Skeleton height={height} />}
    </div>
  );
}

const units: readonly { readonly value: UsageUnit; readonly label: string }[] = [
  { value: 'hour', label: 'By hour' },
  { value: 'day', label: 'By day' },
];

/** Chooses how far a chart looks back and, beyond a day, what a bar stands for. */
export function UsageRangePicker({
  ranges = usageRanges,
  range,
  onRange,
  unit,
  onUnit,
}: {
  readonly ranges?: typeof usageRanges;
  readonly range: UsageRange;
  readonly onRange: (range: UsageRange) => void;
  readonly unit: UsageUnit;
  readonly onUnit: (unit: UsageUnit) => void;
}) {
  return (
    <Group gap="xs">
      {range !== '24h' && (
        <SegmentedControl size="xs" data={[...units]} value={unit} onChange={onUnit} aria-label="Bars" />
      )}
      <SegmentedControl size="xs" data={[...ranges]} value={range} onChange={onRange} aria-label="Time" />
    </Group>
  );
}

const height = 240;

/** A span of time as the API is asked for it, in RFC 3339. */
interface TimeRange {
  readonly from: string;
  readonly to: string;
}

/** Requests over time, for as far back as is chosen. */
export function UsagePanel({
  queryKey,
  read,
}: {
  /** Beginning of the keys that the answers are kept under. */
  readonly queryKey: readonly unknown[];
  readonly read: (span: TimeRange, signal: AbortSignal) => Promise<readonly UsageHour[]>;
}) {
  const [range, setRange] = useState<UsageRange>('24h');
  const [unit, setUnit] = useState<UsageUnit>('day');
  const shownUnit = range === '24h' ? 'hour' : unit;
  const { from, to } = timeRangeOf(range, Date.now());
  const { data, error, refetch } = useQuery({
    queryKey: [...queryKey, from, to],
    queryFn: ({ signal }) =>
      read({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }, signal),
    // The last range stays until the next one is there.
    placeholderData: (previous) => previous,
  });
  const points = useMemo(
    () => data && (shownUnit === 'hour' ? hourlyPoints(data, from, to) : dailyPoints(data, from, to)),
    [data, shownUnit, from, to],
  );
  const choices = <UsageRangePicker range={range} onRange={setRange} unit={unit} onUnit={setUnit} />;
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
