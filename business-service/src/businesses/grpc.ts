import { type BusinessMessage, businessService } from '@platform/protos/business';
import { AppError } from '@platform/service-kit/app-error.ts';
import { type GrpcService, grpcService } from '@platform/service-kit/grpc/server.ts';
import type { z } from 'zod';
import type { Instant } from '../values.ts';
import {
  approveVerification,
  type Business,
  type BusinessStep,
  banBusiness,
  businessDraft,
  businessId,
  legalFacts,
  rejectionReason,
  rejectVerification,
  submitVerification,
  unbanBusiness,
  type Verification,
  type VerificationStatus,
} from './business.ts';
import type { BusinessStore } from './store.ts';

/** A business as business.v1 sends it. */
function businessMessage(business: Business): BusinessMessage {
  const { verification, createdAt, ...profile } = business;
  return {
    ...profile,
    verification: verificationMessage(verification),
    createdAtUnixMs: createdAt.getTime(),
  };
}

function verificationMessage(verification: Verification) {
  const { status, legalName, registrationNumber, country, rejectionReason } = verification;
  return {
    status: statusName[status],
    legalName: legalName ?? '',
    registrationNumber: registrationNumber ?? '',
    country: country ?? '',
    submittedAtUnixMs: unixMs(verification.submittedAt),
    decidedAtUnixMs: unixMs(verification.decidedAt),
    rejectionReason: rejectionReason ?? '',
  };
}

const statusName = {
  unverified: 'VERIFICATION_STATUS_UNVERIFIED',
  pending: 'VERIFICATION_STATUS_PENDING',
  verified: 'VERIFICATION_STATUS_VERIFIED',
  rejected: 'VERIFICATION_STATUS_REJECTED',
} as const satisfies Record<VerificationStatus, string>;

function unixMs(instant: Instant | null): number {
  return instant?.getTime() ?? 0;
}

/** A request in its exact type. @throws AppError `invalid_argument` that names the fields as the .proto does */
function readRequest<T extends z.ZodType>(schema: T, request: unknown): z.output<T> {
  const parsed = schema.safeParse(request);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${snakeCase(path.join('.'))}: ${message}`);
  throw new AppError('invalid_argument', 'invalid_request', faults.join('; '));
}

/** One field in its exact type. @throws AppError `invalid_argument` */
function readField<T extends z.ZodType>(name: string, schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const text = parsed.error.issues.map(({ message }) => message).join(', ');
  throw new AppError('invalid_argument', 'invalid_request', `${name}: ${text}`);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** business.v1.BusinessService over a store. */
export function createBusinessService(businesses: BusinessStore): GrpcService {
  const step = (id: number, businessStep: BusinessStep) => takeStep(businesses, id, businessStep);
  return grpcService(businessService, {
    GetBusiness: async (request) => {
      const business = await businesses.find(readField('business_id', businessId, request.businessId));
      if (business === undefined) throw noSuchBusiness();
      return { business: businessMessage(business) };
    },
    CreateBusiness: async (request) => {
      const outcome = await businesses.create(readRequest(businessDraft, request));
      if (outcome.kind === 'username_taken') {
        throw new AppError('conflict', 'username_taken', 'the username is taken');
      }
      return { business: businessMessage(outcome.business) };
    },
    SubmitVerification: async (request) =>
      step(request.businessId, submitVerification(readRequest(legalFacts, request))),
    ApproveVerification: async (request) => step(request.businessId, approveVerification),
    RejectVerification: async (request) => {
      const reason = readField('reason', rejectionReason, request.reason);
      return step(request.businessId, rejectVerification(reason));
    },
    BanBusiness: async (request) => step(request.businessId, banBusiness),
    UnbanBusiness: async (request) => step(request.businessId, unbanBusiness),
  });
}

async function takeStep(businesses: BusinessStore, id: number, step: BusinessStep) {
  const change = await businesses.change(readField('business_id', businessId, id), step);
  if (change === undefined) throw noSuchBusiness();
  if (change.kind === 'refused') {
    const text = `not possible while the verification is ${change.status}`;
    throw new AppError('failed_precondition', 'wrong_verification_status', text);
  }
  return { business: businessMessage(change.business) };
}

function noSuchBusiness(): AppError {
  return new AppError('not_found', 'business_not_found', 'no such business');
}
