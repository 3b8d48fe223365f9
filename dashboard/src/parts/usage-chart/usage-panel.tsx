import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ErrorState } from '../error-state.tsx';
import { LoadingRows } from '../loading-rows.tsx';
import { Panel } from '../panel.tsx';
import { UsageChart } from './usage-chart.tsx';
import { UsageChoices } from './usage-choices.tsx';
import type { UsageUnit } from './usage-point.ts';
import { dailyPoints, hourlyPoints, type UsageHour } from './usage-points.ts';
import { spanOf, type UsageRange } from './usage-range.ts';

const height = 240;
/** A span of time as the API is asked for it, in RFC 3339. */
export interface AskedSpan {
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
  readonly read: (span: AskedSpan, signal: AbortSignal) => Promise<readonly UsageHour[]>;
}) {
  const [range, setRange] = useState<UsageRange>('24h');
  const [unit, setUnit] = useState<UsageUnit>('day');
  const shownUnit = range === '24h' ? 'hour' : unit;
  const { from, to } = spanOf(range, Date.now());
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
  const choices = <UsageChoices range={range} onRange={setRange} unit={unit} onUnit={setUnit} />;
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
