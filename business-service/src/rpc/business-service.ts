import { businessService } from '@platform/protos/business';
import { AppError } from '@platform/service-kit/app-error.ts';
import { type GrpcService, grpcService } from '@platform/service-kit/grpc-server.ts';
import { businessDraft, businessId, legalFacts, rejectionReason } from '../businesses/business-fields.ts';
import type { BusinessStore } from '../businesses/business-store.ts';
import {
  approveVerification,
  type BusinessStep,
  banBusiness,
  rejectVerification,
  submitVerification,
  unbanBusiness,
} from '../businesses/change-business.ts';
import { businessMessage } from './business-message.ts';
import { readField, readRequest } from './read-request.ts';

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
