import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatRelativeTime } from './format.ts';
import classes from './timestamp.module.css';

/** Milliseconds after which "5 minutes ago" is looked at again. */
const refreshMs = 30_000;

const dateTimeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

/** A moment as people say it: how long ago it is, with the exact time here and in UTC on hover. */
export function Timestamp({
  at,
  absent = '–',
  format = 'relative',
}: {
  /** RFC 3339. */
  readonly at: string | null | undefined;
  /** Shown where there is no moment: "Never". */
  readonly absent?: string;
  /** `date` for days that matter as such (an expiry); `exact` where there is room for all of it. */
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
    <Tooltip label={`${localTime} here, ${utc}`} events={{ hover: true, focus: false, touch: true }}>
      <time dateTime={at} className={classes.moment}>
        {texts[format]}
      </time>
    </Tooltip>
  );
}

/** The time, in milliseconds since 1970, looked at again now and then. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), refreshMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}
