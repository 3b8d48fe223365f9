import { randomUUID } from 'node:crypto';
import { canaryReportService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { call, callPatience } from './patience.ts';
import type { PlatformProcesses } from './platform.ts';

type Rpc = ReturnType<typeof createGrpcClient<typeof canaryReportService>>['rpc'];

/** A check as the canary reports it; without a promise, of a revocation. */
export type ReportedCheck = Omit<Parameters<Rpc['ReportCheck']>[0], 'businessId'>;

/** Reports checks of a canary to one identity-service. */
export function connectCanaryReports({ identities }: Pick<PlatformProcesses, 'identities'>, replica = 0) {
  const target = `ipv4:127.0.0.1:${identities[replica]?.ports.grpc}`;
  const { rpc, close } = createGrpcClient(canaryReportService, {
    target,
    tls: { kind: 'plain' },
    ...callPatience,
  });
  return {
    report: (check: ReportedCheck) =>
      rpc.ReportCheck(
        {
          businessId: 1,
          checkId: randomUUID(),
          ageMs: 0,
          promise: 'CHECKED_PROMISE_REVOCATION',
          violations: [],
          ...check,
        },
        call,
      ),
    close,
  };
}
