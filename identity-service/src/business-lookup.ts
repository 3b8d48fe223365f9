import { type BusinessMessage, businessService, type VerificationStatus } from '@platform/protos/business';
import { AppError, toAppError } from '@platform/service-kit/app-error.ts';
import { createGrpcClient } from '@platform/service-kit/grpc-client.ts';
import type { GrpcTls } from '@platform/service-kit/grpc-tls.ts';
import type { Registry } from '@platform/service-kit/metrics.ts';
import { sentRpcs } from '@platform/service-kit/rpc-metrics.ts';
import type {
  BusinessRecord,
  FindBusinessRecord,
  VerificationState,
} from './applications/business-profile.ts';
import type { CreateBusiness } from './people/complete-sign-up.ts';
import type { SubmitVerification } from './people/submit-verification.ts';

/** Milliseconds that business-service gets to answer. */
const deadlineMs = 2_000;

/** What business-service knows of businesses, and what it does for their owners. */
export interface BusinessLookup {
  /** @throws AppError unavailable when business-service does not answer */
  exists(businessId: number, requestId: string): Promise<boolean>;
  readonly find: FindBusinessRecord;
  readonly create: CreateBusiness;
  readonly submitVerification: SubmitVerification;
  close(): void;
}

export function createBusinessLookup(target: string, tls: GrpcTls, registry: Registry): BusinessLookup {
  const { rpc, close } = createGrpcClient(businessService, { target, tls, observe: sentRpcs(registry) });
  const read = async (businessId: number, requestId: string) => {
    try {
      return await rpc.GetBusiness({ businessId }, { deadlineMs, requestId });
    } catch (error) {
      if (toAppError(error).kind === 'not_found') return undefined;
      throw error;
    }
  };
  return {
    exists: async (businessId, requestId) => (await read(businessId, requestId)) !== undefined,
    find: async (businessId, requestId) => {
      const answer = await read(businessId, requestId);
      return answer && toRecord(answer.business);
    },
    create: async (business, requestId) => {
      try {
        const answer = await rpc.CreateBusiness({ ...business, logo: '' }, { deadlineMs, requestId });
        return { kind: 'created', businessId: toRecord(answer.business).id };
      } catch (error) {
        if (toAppError(error).reason === 'username_taken') return { kind: 'username_taken' };
        throw error;
      }
    },
    submitVerification: async (businessId, facts, requestId) => {
      try {
        await rpc.SubmitVerification({ businessId, ...facts }, { deadlineMs, requestId });
        return 'submitted';
      } catch (error) {
        if (toAppError(error).reason === 'wrong_verification_status') return 'not_now';
        throw error;
      }
    },
    close,
  };
}

const states = {
  VERIFICATION_STATUS_UNSPECIFIED: 'unverified',
  VERIFICATION_STATUS_UNVERIFIED: 'unverified',
  VERIFICATION_STATUS_PENDING: 'pending',
  VERIFICATION_STATUS_VERIFIED: 'verified',
  VERIFICATION_STATUS_REJECTED: 'rejected',
} as const satisfies Record<VerificationStatus, VerificationState>;

function toRecord(business: BusinessMessage | null): BusinessRecord {
  if (business === null || business.verification === null) {
    throw new AppError('internal', 'empty_answer', 'a service call failed');
  }
  const { verification } = business;
  const { legalName, registrationNumber, country } = verification;
  return {
    id: business.id,
    uniqueId: business.uniqueId,
    accountHolder: business.accountHolder,
    username: business.username,
    logo: business.logo,
    isBanned: business.isBanned,
    createdAt: business.createdAtUnixMs,
    verification: states[verification.status],
    facts: legalName === '' ? undefined : { legalName, registrationNumber, country },
    submittedAt: verification.submittedAtUnixMs || undefined,
    decidedAt: verification.decidedAtUnixMs || undefined,
    rejectionReason: verification.rejectionReason,
  };
}
