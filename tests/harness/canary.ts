import { expect } from '@jest/globals';
import { z } from 'zod';
import { expectEventually } from './expect-eventually.ts';
import { request } from './http-request.ts';
import type { TestService } from './service.ts';

const times = z.array(z.object({ replica: z.string(), p50Ms: z.number(), p99Ms: z.number() }));

const reportShape = z.object({
  rounds: z.number(),
  failedRounds: z.number(),
  lastFailure: z.string().nullable(),
  revocation: times,
  webhook: times,
  refresh: times,
  rollingHour: z.object({ limit: z.number(), admitted: z.number() }),
  violations: z.array(
    z.object({ promise: z.string(), replica: z.string(), requestId: z.string(), what: z.string() }),
  ),
});

type CanaryReport = z.output<typeof reportShape>;

const within = { withinMs: 60_000 };

/** /promises.json of a canary. */
export async function reportOf(canary: TestService): Promise<CanaryReport> {
  const { headers, text } = await request(canary.ports.ops ?? 0, 'GET', '/promises.json');
  expect(headers['content-type']).toBe('application/json');
  return reportShape.parse(JSON.parse(text));
}

/** Returns the report after more rounds. Waits for each as long as it may take. */
export async function roundsAfter(canary: TestService, rounds: number): Promise<CanaryReport> {
  let report = await reportOf(canary);
  while (report.rounds <= rounds) report = await nextRound(canary, report);
  return report;
}

const nextRound = (canary: TestService, { rounds }: CanaryReport): Promise<CanaryReport> =>
  expectEventually(async () => {
    const now = await reportOf(canary);
    expect(now.rounds).toBeGreaterThan(rounds);
    return now;
  }, within);

/** Waits for the newest violation with these words. */
export const violationWith = (canary: TestService, words: string): Promise<CanaryReport['violations'][0]> =>
  expectEventually(async () => {
    const { violations, lastFailure } = await reportOf(canary);
    const found = violations.find(({ what }) => what.includes(words));
    if (found === undefined) throw new Error(`None with "${words}", last failure: ${lastFailure}`);
    return found;
  }, within);
