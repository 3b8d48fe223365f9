import { Button, Center, Group, Skeleton, Text } from '@mantine/core';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { useState } from 'react';
import { codeOf, useCode } from '../code.ts';
import { describeUsage } from './describe-usage.ts';
import { Swatch } from './swatch.tsx';
import classes from './usage-chart.module.css';
import { totalOf, type UsagePoint, type UsageUnit, usageClasses } from './usage-point.ts';

const chartCanvas = codeOf(() => import('./chart-canvas.tsx'));
const usageTable = codeOf(() => import('./usage-table.tsx'));

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
  const isEmpty = points.every((point) => totalOf(point) === 0);
  const ChartCanvas = useCode(isEmpty || isTable ? undefined : chartCanvas);
  const UsageTable = useCode(isTable ? usageTable : undefined);
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
