import { type ComponentProps, useState } from 'react';
import type { UsageChoices } from '../../parts/usage-chart/usage-choices.tsx';
import type { UsageUnit } from '../../parts/usage-chart/usage-point.ts';
import { spanOf, type UsageRange } from '../../parts/usage-chart/usage-range.ts';

/** The time that is looked at, in milliseconds since 1970, and what chooses it. */
export interface UsageSpan {
  readonly from: number;
  readonly to: number;
  readonly unit: UsageUnit;
  readonly choices: Omit<ComponentProps<typeof UsageChoices>, 'ranges'>;
}

/** The time that a chart shows, a day where nothing was chosen. */
export function useUsageSpan(): UsageSpan {
  const [range, onRange] = useState<UsageRange>('24h');
  const [unit, onUnit] = useState<UsageUnit>('day');
  const span = spanOf(range, Date.now());
  return { ...span, unit: range === '24h' ? 'hour' : unit, choices: { range, onRange, unit, onUnit } };
}
