import { Counter, Gauge, Histogram, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { type Checked, promises, type TimedPromise } from './results.ts';

/** Seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export type CanaryMetrics = ReturnType<typeof createMetrics>;

/** The metrics of rounds and their outcome. */
export function createMetrics(registry: Registry) {
  const registers = [registry];
  const rounds = new Counter({
    name: 'canary_rounds_total',
    help: 'Rounds, by whether the promises could be measured.',
    labelNames: ['result'],
    registers,
  });
  const violations = new Counter({
    name: 'canary_violations_total',
    help: 'Requests that broke a promise.',
    labelNames: ['promise'],
    registers,
  });
  const lastRound = new Gauge({
    name: 'canary_last_round_timestamp_seconds',
    help: 'Unix time of the last round that could be measured, or of the start.',
    registers,
  });
  const times: Readonly<Record<TimedPromise, Histogram>> = {
    revocation: new Histogram({
      name: 'canary_revocation_seconds',
      help: 'Time from the response to the end of a key to the first refusal of a gateway.',
      buckets,
      registers,
    }),
    webhook: new Histogram({
      name: 'canary_webhook_seconds',
      help: 'Time from a change at a gateway to its verified delivery.',
      buckets,
      registers,
    }),
    refresh: new Histogram({
      name: 'canary_refresh_reuse_seconds',
      help: 'Time from the refusal of a used refresh token to the first refusal of its access token by a gateway.',
      buckets,
      registers,
    }),
  };
  // An increase from nothing is none for Prometheus.
  for (const promise of promises) violations.inc({ promise }, 0);
  for (const result of ['measured', 'failed']) rounds.inc({ result }, 0);
  lastRound.setToCurrentTime();
  return {
    /** Adds the outcome of one check. */
    add: ({ measured, violations: broken }: Checked): void => {
      for (const { promise, ms } of measured) times[promise].observe(ms / 1000);
      for (const { promise } of broken) violations.inc({ promise });
    },
    endRound: (): void => {
      rounds.inc({ result: 'measured' });
      lastRound.setToCurrentTime();
    },
    failed: (): void => rounds.inc({ result: 'failed' }),
  };
}
