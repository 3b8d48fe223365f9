import { z } from 'zod';

/** Promises that the canary measures, in the order of the page. */
export const promiseNames = ['revocation', 'rolling_hour', 'refresh', 'delivery'] as const;

export type PromiseName = (typeof promiseNames)[number];

/** A day of milliseconds: older checks are not counted. */
const maxAgeMs = 86_400_000;

const line = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^\P{Cc}*$/u, 'must be one line');

/** Result of one check of one promise. */
export const checkSchema = z.object({
  id: z.uuid(),
  promise: z.enum(promiseNames),
  /** Milliseconds since its end. */
  ageMs: z.int().min(0).max(maxAgeMs),
  /** Whole milliseconds. */
  timeMs: z.int().min(0).max(3_600_000).optional(),
  /** Requests that the rolling hour has admitted, in percent of the limit. */
  admittedPercent: z.int().min(0).max(1_000_000).optional(),
  violations: z
    .array(z.object({ gateway: line(100).min(1), requestId: line(128), what: line(300).min(1) }))
    .max(1_000),
});

export type Check = z.output<typeof checkSchema>;
