/** A value that was measured several times. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** @throws without a value */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const [least, median, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  if (least === undefined || median === undefined || most === undefined)
    throw new Error('nothing was measured');
  return { median, least, most };
}

/** Of values of the same rounds, which a disturbance of the machine changes alike. */
export function ratioOf(values: readonly number[], others: readonly number[]): Spread {
  return spreadOf(values.map((value, round) => value / (others[round] ?? Number.NaN)));
}

/** A difference smaller than the spread is none. */
export const differs = ({ least, most }: Spread, from: number): boolean => from < least || from > most;

export function withSpread({ median, least, most }: Spread): string {
  const text = median.toFixed(2);
  return least === most ? text : `${text} (${least.toFixed(2)}-${most.toFixed(2)})`;
}
