/** Requests of one hour or day by what became of them. */
export interface UsagePoint {
  /** Where the hour begins, in RFC 3339, or the date of the day. */
  readonly at: string;
  /** 2xx and 3xx. */
  readonly successful: number;
  /** 4xx, without 429. */
  readonly refused: number;
  /** 429. */
  readonly limited: number;
  /** 5xx. */
  readonly failed: number;
}

export type UsageClass = Exclude<keyof UsagePoint, 'at'>;
export type UsageUnit = 'hour' | 'day';

/** The classes from the bottom of a bar to its top. */
export const usageClasses: readonly { readonly name: UsageClass; readonly label: string }[] = [
  { name: 'successful', label: '2xx' },
  { name: 'refused', label: '4xx' },
  { name: 'limited', label: '429' },
  { name: 'failed', label: '5xx' },
];

/** All requests of one hour or day. */
export const totalOf = (point: UsagePoint): number =>
  point.successful + point.refused + point.limited + point.failed;
