/** Set by tests/resilience/measure-machine.ts; elsewhere time limits are patient, and nothing is measured. */
export const slownessVariable = 'HARNESS_SLOWNESS';

/** Factor by which the machine was too slow for time limits of production when this test file began. */
export const slowness = (): number => Number(process.env[slownessVariable] ?? 1);

/** Converts milliseconds of a fast enough machine to those of this one. */
export const scaled = (milliseconds: number): number => Math.round(milliseconds * slowness());
