import { randomUUID } from 'node:crypto';
import { type CheckedPromise, canaryReportService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import type { ObserveRpc } from '@platform/service-kit/grpc/metrics.ts';
import type { GrpcTls } from '@platform/service-kit/grpc/tls.ts';
import type { Checked, PromiseName } from './results.ts';

/** A check that identity-service does not have yet. */
interface Report {
  readonly checkId: string;
  readonly promise: PromiseName;
  readonly checked: Checked;
  /** Milliseconds of performance.now(). */
  readonly endedAt: number;
}

const messages: Readonly<Record<PromiseName, CheckedPromise>> = {
  revocation: 'CHECKED_PROMISE_REVOCATION',
  rolling_hour: 'CHECKED_PROMISE_ROLLING_HOUR',
  refresh: 'CHECKED_PROMISE_REFRESH',
  webhook: 'CHECKED_PROMISE_DELIVERY',
};

/** Reports that wait, the newest: those of some hours without identity-service. */
const maxWaiting = 1_000;

/** Milliseconds after which a report is dropped: identity-service counts none that is older than a day. */
const maxAgeMs = 80_000_000;

/** Violations of one check that are sent. */
const maxViolations = 1_000;

const call = { deadlineMs: 10_000 };

export type Reports = ReturnType<typeof createReports>;

interface ReportsOptions {
  readonly target: string;
  readonly tls: GrpcTls;
  readonly businessId: number;
  /** Requests per rolling hour of the key that is used up. */
  readonly limit: number;
  readonly observe: ObserveRpc;
}

/** Reports finished checks to identity-service, each until it has been received. */
export function createReports({ target, tls, businessId, limit, observe }: ReportsOptions) {
  const { rpc, close } = createGrpcClient(canaryReportService, { target, tls, observe });
  const waiting: Report[] = [];

  async function report({ checkId, promise, checked, endedAt }: Report): Promise<void> {
    const { measured, violations, admitted } = checked;
    await rpc.ReportCheck(
      {
        businessId,
        checkId,
        promise: messages[promise],
        ageMs: Math.round(performance.now() - endedAt),
        ...(measured.length > 0 && { timeMs: Math.ceil(Math.max(...measured.map(({ ms }) => ms))) }),
        ...(admitted !== undefined && { admittedPercent: Math.ceil((100 * admitted) / limit) }),
        violations: violations
          .slice(0, maxViolations)
          .map(({ replica: gateway, requestId, what }) => ({ gateway, requestId, what })),
      },
      call,
    );
  }

  return {
    add: (promise: PromiseName, checked: Checked): void => {
      waiting.push({ checkId: randomUUID(), promise, checked, endedAt: performance.now() });
      if (waiting.length > maxWaiting) waiting.shift();
    },
    /** Sends what waits, the oldest first. @throws when identity-service does not receive it; it goes on waiting */
    send: async (): Promise<void> => {
      for (let [next] = waiting; next !== undefined; [next] = waiting) {
        if (performance.now() - next.endedAt < maxAgeMs) await report(next);
        if (waiting[0] === next) waiting.shift();
      }
    },
    close,
  };
}
