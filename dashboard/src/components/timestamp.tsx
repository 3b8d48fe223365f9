import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatRelativeTime } from './format.ts';
import classes from './timestamp.module.css';

/** Milliseconds between updates of relative times. */
const refreshMs = 30_000;

const dateTimeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

/** A point in time, with local time and UTC on hover. */
export function Timestamp({
  at,
  absent = '–',
  format = 'relative',
}: {
  /** RFC 3339. */
  readonly at: string | null | undefined;
  /** Shown when `at` is missing: "Never". */
  readonly absent?: string;
  /** `relative`: "3 days ago"; `date`: "19 Feb 2027"; `exact`: date and time. */
  readonly format?: 'relative' | 'date' | 'exact';
}) {
  const now = useNow();
  if (at === null || at === undefined) return <span className={classes.absent}>{absent}</span>;
  const date = new Date(at);
  const localTime = dateTimeFormat.format(date);
  const utc = `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const texts = {
    relative: formatRelativeTime(date.getTime(), now),
    date: dateFormat.format(date),
    exact: localTime,
  };
  return (
    <Tooltip label={`${localTime} local time, ${utc}`} events={{ hover: true, focus: false, touch: true }}>
      <time dateTime={at} className={classes.timestamp}>
        {texts[format]}
      </time>
    </Tooltip>
  );
}

/** The current time in ms since 1970, of each render and updated regularly. */
function useNow(): number {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), refreshMs);
    return () => clearInterval(timer);
  }, []);
  return Date.now();
}
