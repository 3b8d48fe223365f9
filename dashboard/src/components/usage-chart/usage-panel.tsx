import {
  Anchor,
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
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { lazyComponent, useLazyComponent } from '../lazy-component.ts';
import { Panel } from '../panel.tsx';
import { ErrorState, LoadingRows } from '../states.tsx';
import { backgroundColour, fillFor } from './fills.ts';
import {
  describeUsage,
  timeRangeOf,
  totalRequests,
  type UsageClass,
  type UsageHour,
  type UsagePoint,
  type UsageRange,
  type UsageUnit,
  usageClasses,
  usagePoints,
  usageRanges,
} from './usage.ts';
import classes from './usage-chart.module.css';

const swatchSize = 12;

/** Legend entry with the fill of its bars. */
function Swatch({ name }: { readonly name: UsageClass }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context === null || context === undefined) return;
    context.fillStyle = fillFor(name, scheme, backgroundColour(context.canvas));
    context.fillRect(0, 0, swatchSize, swatchSize);
  }, [name, scheme]);
  return <canvas ref={canvas} width={swatchSize} height={swatchSize} aria-hidden />;
}

const chartCanvas = lazyComponent(() => import('./chart-canvas.tsx'));

const usageTable = lazyComponent(() => import('./usage-table.tsx'));

/** Requests over time by status class, as a chart with a text alternative or as a table. */
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
        <Text c="dimmed">No requests in this period.</Text>
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

/** The time range of a chart in ms since 1970, the unit of its bars, and the props of its picker. */
export interface UsageSelection {
  readonly from: number;
  readonly to: number;
  readonly unit: UsageUnit;
  readonly picker: Omit<ComponentProps<typeof UsageRangePicker>, 'ranges'>;
}

/** Range and unit of a chart; the last 24 hours at first. */
export function useUsageSelection(): UsageSelection {
  const [range, onRange] = useState<UsageRange>('24h');
  const [unit, onUnit] = useState<UsageUnit>('day');
  return {
    ...timeRangeOf(range, Date.now()),
    unit: range === '24h' ? 'hour' : unit,
    picker: { range, onRange, unit, onUnit },
  };
}

const units: readonly { readonly value: UsageUnit; readonly label: string }[] = [
  { value: 'hour', label: 'By hour' },
  { value: 'day', label: 'By day' },
];

/** The selection whose numbers are shown: the previous one while those of a new selection are loaded. */
export function useShownSelection(selection: UsageSelection, isLoading: boolean): UsageSelection {
  const [shown, setShown] = useState(selection);
  const { from, to, unit } = selection;
  const isOther = shown.from !== from || shown.to !== to || shown.unit !== unit;
  if (isOther && !isLoading) setShown(selection);
  return isLoading ? { ...shown, picker: selection.picker } : selection;
}

/** Numbers of a period, marked as busy while those of a new period are loaded. */
export function UsageNumbers({
  isLoading,
  children,
}: {
  readonly isLoading: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div className={classes.numbers} aria-busy={isLoading}>
      {children}
    </div>
  );
}

/** Selects the range and, beyond a day, the unit of the bars. */
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

/** Query parameters of a time range, in RFC 3339. */
interface TimeRange {
  readonly from: string;
  readonly to: string;
}

/** Requests over time, with a range picker. */
export function UsagePanel({
  queryKey,
  fetchHours,
  log,
}: {
  /** Prefix of the query keys. */
  readonly queryKey: readonly unknown[];
  readonly fetchHours: (range: TimeRange, signal: AbortSignal) => Promise<readonly UsageHour[]>;
  /** Link to requests, one by one. */
  readonly log: { readonly label: string; readonly href: string };
}) {
  const selection = useUsageSelection();
  const { from, to } = selection;
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [...queryKey, from, to],
    queryFn: ({ signal }) =>
      fetchHours({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }, signal),
    // Shows the previous range until the new one is loaded.
    placeholderData: (previous) => previous,
  });
  const shown = useShownSelection(selection, isPlaceholderData);
  const points = data && usagePoints(data, shown);
  return (
    <Panel title="Requests" actions={<UsageRangePicker {...selection.picker} />}>
      {points !== undefined ? (
        <UsageNumbers isLoading={isPlaceholderData}>
          <UsageChart points={points} unit={shown.unit} height={height} />
        </UsageNumbers>
      ) : error === null ? (
        <LoadingRows rows={1} height={height} />
      ) : (
        <ErrorState error={error} retry={refetch} />
      )}
      <Text size="sm">
        <Anchor component={Link} href={log.href}>
          {log.label}
        </Anchor>
      </Text>
    </Panel>
  );
}
