import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { findOrder, measureDelivery } from './delivery.ts';
import type { Gateways, Replica } from './gateways.ts';
import { type CanaryKey, type Keys, tinyLimit } from './keys.ts';
import type { CanaryMetrics } from './metrics.ts';
import type { Receiver } from './receiver.ts';
import type { createRefreshCheck } from './refresh.ts';
import type { Reports } from './reports.ts';
import type { Checked, createResults, PromiseName } from './results.ts';
import { measureRevocation } from './revocation.ts';
import { createHourCheck } from './rolling-hour.ts';

interface RoundDeps {
  readonly gateways: Gateways;
  readonly keys: Keys;
  readonly results: ReturnType<typeof createResults>;
  readonly metrics: CanaryMetrics;
  readonly reports: Pick<Reports, 'add'>;
  readonly logger: Logger;
  /** Absent where webhooks are not measured. */
  readonly receiver: Receiver | undefined;
  /** Milliseconds after which a delivery is late. */
  readonly deliverWithinMs: number;
  /** Absent where refreshes are not measured. */
  readonly refreshCheck: ReturnType<typeof createRefreshCheck> | undefined;
}

/** The check of one promise. */
interface Check {
  readonly promise: PromiseName;
  readonly run: (replicas: Replica[]) => Promise<Checked>;
}

/**
 * Measures every promise once per round. A promise that cannot be measured fails the round, but the others are still measured.
 * After a failure keys are rotated, because their strings may have ended.
 */
export function createRound(deps: RoundDeps): (signal: AbortSignal) => Promise<void> {
  const { gateways, keys, results, metrics, reports, logger, refreshCheck } = deps;
  const hour = createHourCheck(tinyLimit);
  const delivery = createDeliveryCheck(deps);
  let limited: CanaryKey | undefined;
  let revoked: CanaryKey | undefined;
  let confirmed = false;

  const rollingHour: Check = {
    promise: 'rolling_hour',
    run: async (replicas) => {
      const key = limited ?? (await keys.takeLimited());
      limited = undefined;
      const violations = await hour.measure(replicas, key);
      limited = key;
      return { measured: [], violations, admitted: hour.used() };
    },
  };
  const revocation: Check = {
    promise: 'revocation',
    run: async (replicas) => {
      const key = revoked ?? (await keys.takeRevoked());
      [revoked, confirmed] = [undefined, false];
      const outcome = await measureRevocation(keys, replicas, key);
      ({ key: revoked, confirmed } = outcome);
      return outcome;
    },
  };
  const checks: readonly Check[] = [
    rollingHour,
    revocation,
    ...(delivery ? [{ promise: 'webhook', run: delivery } as const] : []),
    ...(refreshCheck
      ? [{ promise: 'refresh', run: (replicas) => refreshCheck.measure(replicas, confirmed) } satisfies Check]
      : []),
  ];

  const add = (promise: PromiseName, checked: Checked) => {
    for (const violation of checked.violations) logger.error(violation, 'promise broken');
    metrics.add(checked);
    results.add(checked);
    reports.add(promise, checked);
  };

  return async (signal) => {
    const failures: unknown[] = [];
    try {
      const replicas = await gateways.replicas();
      for (const { promise, run } of checks) {
        const checked = await run(replicas).catch((error: unknown) => void failures.push(error));
        // The outcome of an aborted round proves nothing.
        signal.throwIfAborted();
        if (checked) add(promise, checked);
      }
    } catch (error) {
      failures.push(error);
    }
    const [error] = failures;
    if (failures.length > 0) {
      metrics.failed();
      results.addFailure(error instanceof Error ? error.message : String(error), hour.used());
      throw error;
    }
    metrics.endRound();
    results.endRound(hour.used());
  };
}

/** Changes an order at one gateway after the other. */
function createDeliveryCheck({ receiver, keys, deliverWithinMs: withinMs }: RoundDeps) {
  if (receiver === undefined) return undefined;
  let writer: { readonly bearer: string; readonly orderId: string } | undefined;
  let round = 0;
  return async (replicas: Replica[]): Promise<Checked> => {
    const replica = replicas[round++ % replicas.length];
    if (replica === undefined) return { measured: [], violations: [] };
    const { bearer, orderId } = writer ?? (await takeWriter(keys, replica));
    writer = undefined;
    const checked = await measureDelivery({ receiver, replica, orderId, bearer, withinMs });
    writer = { bearer, orderId };
    return checked;
  };
}

async function takeWriter(keys: Keys, replica: Replica) {
  const { keyString: bearer } = await keys.takeWriter();
  return { bearer, orderId: await findOrder(replica, bearer) };
}
