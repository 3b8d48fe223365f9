import { Counter, type Registry } from '@platform/service-kit/metrics.ts';

/** How a step of a login ended. */
export type LoginOutcome = 'logged_in' | 'awaiting' | 'refused' | 'throttled';

/** Counts one step of a login. */
export type CountLogin = (outcome: LoginOutcome) => void;

/** Steps of logins by outcome: many refused or throttled ones are an attack. */
export function createLoginCounter(registry: Registry): CountLogin {
  const counter = new Counter({
    name: 'identity_logins_total',
    help: 'Steps of logins, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return (outcome) => counter.inc({ outcome });
}
