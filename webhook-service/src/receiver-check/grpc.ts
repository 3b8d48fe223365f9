import { receiverCheckService } from '@platform/protos/webhook';
import { type GrpcService, grpcService } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/input/validation.ts';
import { testRequest } from '../deliveries/grpc.ts';
import { hasPassed, probeKinds } from './grade.ts';
import { type CheckDeps, checkReceiver } from './operations.ts';

/** webhook.v1.ReceiverCheckService. */
export function createReceiverCheckService(deps: CheckDeps): GrpcService {
  return grpcService(receiverCheckService, {
    CheckReceiver: async (request) => {
      const { probes, findings } = await checkReceiver(deps, parseRequest(testRequest, request));
      const sent = new Map(probes.map((probe) => [probe.kind, probe]));
      return {
        probes: probeKinds.map((kind) => {
          const probe = sent.get(kind);
          if (probe === undefined) {
            return { kind, passed: false, outcome: 'not_sent', status: 0, durationMs: 0, eventId: '' };
          }
          const { outcome, status = 0, durationMs, eventId } = probe;
          return { kind, passed: hasPassed(probe), outcome, status, durationMs, eventId };
        }),
        findings: [...findings],
      };
    },
  });
}
