import classes from './data-table.module.css';
import type { DataTableProps } from './data-table.tsx';

/** The entries as cards: the first column is the card's heading, the others follow with their names. */
export function CardList<Row>({ label, columns, rows, keyOf }: DataTableProps<Row>) {
  const [first, ...others] = columns;
  const facts = others.filter(({ actions }) => actions !== true);
  const actions = others.filter(({ actions }) => actions === true);
  return (
    <ul aria-label={label} className={classes.cards}>
      {rows.map((row) => (
        <li key={keyOf(row)} className={classes.card}>
          <div className={classes.title}>
            <div className={classes.name}>{first?.cell(row)}</div>
            {actions.map(({ header, cell }) => (
              <div key={header}>{cell(row)}</div>
            ))}
          </div>
          <dl className={classes.facts}>
            {facts.map(({ header, cell }) => (
              <div key={header} className={classes.fact}>
                <dt>{header}</dt>
                <dd>{cell(row)}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}
