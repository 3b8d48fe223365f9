import type { ReactNode } from 'react';
import classes from './rows.module.css';

/** A short list of `Row`. */
export function Rows({
  label,
  isStacked = false,
  children,
}: {
  readonly label?: string;
  /** Whether the end of each row stands below it on a phone. */
  readonly isStacked?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <ul className={classes.rows} aria-label={label} data-stacked={isStacked || undefined}>
      {children}
    </ul>
  );
}

/** An entry, with its figure, state or button at the end. */
export function Row({ end, children }: { readonly end: ReactNode; readonly children: ReactNode }) {
  return (
    <li className={classes.row}>
      <div>{children}</div>
      <div>{end}</div>
    </li>
  );
}
