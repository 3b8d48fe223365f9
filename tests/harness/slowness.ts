/** Set by tests/resilience/measure-machine.ts; elsewhere time limits are patient, and nothing is measured. */
export const slownessVariable = 'HARNESS_SLOWNESS';

/** How many times too slow for time limits of production the machine was when this test file began. */
export const slowness = (): number => Number(process.env[slownessVariable] ?? 1);

/** Milliseconds that are as many of a machine that is fast enough. */
export const scaled = (milliseconds: number): number => Math.round(milliseconds * slowness());
