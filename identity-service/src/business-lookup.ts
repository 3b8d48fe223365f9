import { businessService } from '@platform/protos/business';
import { toAppError } from '@platform/service-kit/app-error.ts';
import { createGrpcClient } from '@platform/service-kit/grpc-client.ts';
import type { GrpcTls } from '@platform/service-kit/grpc-tls.ts';

/** Milliseconds that business-service gets to answer. */
const deadlineMs = 2_000;

/** Asks business-service whether a business exists. */
export interface BusinessLookup {
  /** @throws AppError unavailable when business-service does not answer */
  exists(businessId: number, requestId: string): Promise<boolean>;
  close(): void;
}

export function createBusinessLookup(target: string, tls: GrpcTls): BusinessLookup {
  const { rpc, close } = createGrpcClient(businessService, { target, tls });
  return {
    exists: async (businessId, requestId) => {
      try {
        await rpc.GetBusiness({ businessId }, { deadlineMs, requestId });
        return true;
      } catch (error) {
        if (toAppError(error).kind === 'not_found') return false;
        throw error;
      }
    },
    close,
  };
}
