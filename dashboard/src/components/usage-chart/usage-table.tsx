import { Table } from '@mantine/core';
import { formatNumber } from '../format.ts';
import {
  describeUsage,
  formatBucket,
  totalRequests,
  type UsagePoint,
  type UsageUnit,
  usageClasses,
} from './usage.ts';
import classes from './usage-chart.module.css';

/** The numbers of the chart, newest first; loaded on first use. */
export default function UsageTable({
  points,
  unit,
  height,
}: {
  readonly points: readonly UsagePoint[];
  readonly unit: UsageUnit;
  readonly height: number;
}) {
  return (
    <section
      className={classes.table}
      style={{ maxHeight: height }}
      aria-label="Requests as a table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
      tabIndex={0}
    >
      <Table stickyHeader horizontalSpacing={8} aria-label={describeUsage(points, unit)}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{unit === 'day' ? 'Day' : 'Hour'}</Table.Th>
            {usageClasses.map(({ name, label }) => (
              <Table.Th key={name} scope="col" className={classes.number ?? ''}>
                {label}
              </Table.Th>
            ))}
            <Table.Th scope="col" className={classes.number ?? ''}>
              All
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {points.toReversed().map((point) => (
            <Table.Tr key={point.at}>
              <Table.Th scope="row" fw={400}>
                {formatBucket(point.at, unit)}
              </Table.Th>
              {usageClasses.map(({ name }) => (
                <Table.Td key={name} className={classes.number ?? ''}>
                  {formatNumber(point[name])}
                </Table.Td>
              ))}
              <Table.Td className={classes.number ?? ''}>{formatNumber(totalRequests(point))}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
