import { Group, SegmentedControl } from '@mantine/core';
import type { UsageUnit } from './usage-point.ts';
import { type UsageRange, usageRanges } from './usage-range.ts';

const units: readonly { readonly value: UsageUnit; readonly label: string }[] = [
  { value: 'hour', label: 'By hour' },
  { value: 'day', label: 'By day' },
];

/** Chooses how far a chart looks back and, beyond a day, what a bar stands for. */
export function UsageChoices({
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
