import { Text } from '@mantine/core';
import { count } from '../../parts/numbers.ts';
import classes from './overview.module.css';
import { share, type UsageTotals } from './usage-totals.ts';

/** The sums behind a chart. */
export function TrafficTotals({ totals }: { readonly totals: UsageTotals }) {
  const { requests, refused, limited, failed } = totals;
  const part = (value: number) => (requests === 0 ? undefined : share(value, requests));
  return (
    <dl className={classes.totals}>
      <Total name="Requests" value={count(requests)} />
      <Total name="Error rate" value={share(refused + limited + failed, requests)} />
      <Total name="Refused (4xx)" value={count(refused)} note={part(refused)} />
      <Total name="Rate limited (429)" value={count(limited)} note={part(limited)} />
      <Total name="Failed (5xx)" value={count(failed)} note={part(failed)} />
    </dl>
  );
}

function Total({
  name,
  value,
  note,
}: {
  readonly name: string;
  readonly value: string;
  readonly note?: string | undefined;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {note !== undefined && (
          <Text span size="xs" c="dimmed" fw={400} ml={6}>
            {note}
          </Text>
        )}
      </dd>
    </div>
  );
}
