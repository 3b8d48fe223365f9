const format = new Intl.NumberFormat('en');

/** 9,870 */
export const count = (value: number): string => format.format(value);

/** "1 call", "2 calls" */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;
