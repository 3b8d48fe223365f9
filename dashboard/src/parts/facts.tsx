import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** What there is to know of something at a glance, each with its name. */
export function Facts({
  facts,
  isDense = false,
}: {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
  /** For many short ones. */
  readonly isDense?: boolean;
}) {
  return (
    <dl className={classes.facts} data-dense={isDense || undefined}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
