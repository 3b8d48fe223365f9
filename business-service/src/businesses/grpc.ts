import { type BusinessMessage, businessService } from '@platform/protos/business';
import { fieldsOf } from '@platform/protos/field-mask';
import { type GrpcService, grpcService } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/input/validation.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { cutPage } from '@platform/service-kit/values/pagination.ts';
import { z } from 'zod';
import type { Author } from '../passport.ts';
import { businessId, type Instant } from '../values.ts';
import {
  approveVerification,
  type Business,
  type BusinessChange,
  type BusinessStep,
  banBusiness,
  businessDraft,
  legalFacts,
  recordFields,
  rejectionReason,
  rejectVerification,
  submitVerification,
  unbanBusiness,
  updateRecord,
  type Verification,
  type VerificationStatus,
  verificationStatuses,
} from './business.ts';
import type { BusinessStore } from './store.ts';

/** A business as business.v1 sends it. */
function businessMessage(business: Business): BusinessMessage {
  const { verification, createdAt, usernameChangeableAt, ...profile } = business;
  return {
    ...profile,
    verification: verificationMessage(verification),
    createdAtUnixMs: createdAt.getTime(),
    usernameChangeableAtUnixMs: unixMs(usernameChangeableAt),
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

/** The status of a message; undefined for none. */
function statusOf(name: string): VerificationStatus | undefined {
  return verificationStatuses.find((status) => statusName[status] === name);
}

function unixMs(instant: Instant | null): number {
  return instant?.getTime() ?? 0;
}

const businessRequest = z.object({ businessId });

const listBannedRequest = z.object({ businessIds: z.array(businessId).min(1).max(1_000) });

const banChangesRequest = z.object({ after: z.int().min(0), limit: z.int().min(1).max(1_000) });

const listRequest = z.object({
  status: z.enum(['VERIFICATION_STATUS_UNSPECIFIED', ...Object.values(statusName)]),
  banned: z.boolean(),
  search: z
    .string()
    .trim()
    .max(200)
    .refine((text) => !text.includes('\0'), 'must not contain NUL'),
  limit: z.int().min(1).max(500),
});

const lookalikesRequest = z.object({
  businessId,
  names: z.array(z.string().min(1).max(200)).min(1).max(10),
});

const personId = z.string().max(100);

const submitRequest = legalFacts.extend({ businessId, personId });

const recordMask = z
  .object({ paths: z.array(z.string()).min(1, 'must name a field') }, 'is missing')
  .transform(fieldsOf)
  .pipe(z.array(recordFields.keyof()));

const updateRequest = z.looseObject({ businessId, personId, updateMask: recordMask });

const submittedAtUnixMs = z.int().optional();

const approveRequest = z.object({ businessId, submittedAtUnixMs });

const rejectRequest = z.object({ businessId, reason: rejectionReason, submittedAtUnixMs });

/** business.v1.BusinessService over a store. */
export function createBusinessService(businesses: BusinessStore): GrpcService {
  async function takeStep(author: Author, step: BusinessStep) {
    const change = await businesses.change(author, step);
    if (change === undefined) throw noSuchBusiness();
    if (!('business' in change)) throw refusalOf(change);
    return { business: businessMessage(change.business), previous: businessMessage(change.previous) };
  }

  const stepHandler = (step: BusinessStep) => async (request: unknown) =>
    takeStep(byOperator(parseRequest(businessRequest, request).businessId), step);

  return grpcService(businessService, {
    GetBusiness: async (request) => {
      const business = await businesses.find(parseRequest(businessRequest, request).businessId);
      if (business === undefined) throw noSuchBusiness();
      return { business: businessMessage(business) };
    },
    CreateBusiness: async (request) => {
      const outcome = await businesses.create(parseRequest(businessDraft, request));
      if (outcome.kind === 'username_taken') throw refusalOf(outcome);
      return { business: businessMessage(outcome.business) };
    },
    UpdateBusiness: async (request) => {
      const { businessId, personId, updateMask, ...record } = parseRequest(updateRequest, request);
      const named = Object.fromEntries(updateMask.map((field) => [field, record[field]]));
      const author = { businessId, credentialId: personId || null };
      return takeStep(author, updateRecord(parseRequest(recordFields.exactPartial(), named)));
    },
    SubmitVerification: async (request) => {
      const { businessId, personId, ...facts } = parseRequest(submitRequest, request);
      return takeStep({ businessId, credentialId: personId || null }, submitVerification(facts));
    },
    ApproveVerification: async (request) => {
      const { businessId, submittedAtUnixMs } = parseRequest(approveRequest, request);
      return takeStep(byOperator(businessId), approveVerification(submittedAtUnixMs));
    },
    RejectVerification: async (request) => {
      const { businessId, reason, submittedAtUnixMs } = parseRequest(rejectRequest, request);
      return takeStep(byOperator(businessId), rejectVerification(reason, submittedAtUnixMs));
    },
    BanBusiness: stepHandler(banBusiness),
    UnbanBusiness: stepHandler(unbanBusiness),
    ListBanned: async (request) => {
      const { businessIds } = parseRequest(listBannedRequest, request);
      return { bannedIds: await businesses.bannedAmong(businessIds) };
    },
    ListBanChanges: async (request) => businesses.banChanges(parseRequest(banChangesRequest, request)),
    ListBusinesses: async (request) => {
      const { status, banned, search: text, limit } = parseRequest(listRequest, request);
      const found = await businesses.search({ status: statusOf(status), banned, text, limit });
      const { entries, last } = cutPage(found, limit);
      return { businesses: entries.map(businessMessage), hasMore: last !== undefined };
    },
    FindLookalikes: async (request) => {
      const { businessId, names } = parseRequest(lookalikesRequest, request);
      return { businesses: (await businesses.lookalikes(businessId, names)).map(businessMessage) };
    },
  });
}

/** A change by an operator. */
const byOperator = (businessId: number): Author => ({ businessId, credentialId: null });

type Refusal = Exclude<BusinessChange, { business: Business }> | { readonly kind: 'username_taken' };

function refusalOf(refused: Refusal): AppError {
  switch (refused.kind) {
    case 'refused': {
      const text = `not possible while the verification is ${refused.status}`;
      return new AppError('failed_precondition', 'wrong_verification_status', text);
    }
    case 'resubmitted': {
      const text = 'the facts were submitted again since they were read';
      return new AppError('failed_precondition', 'verification_resubmitted', text);
    }
    case 'banned':
      return new AppError('failed_precondition', 'business_banned', 'the business is banned');
    case 'username_locked': {
      const text = `the username can be changed again on ${refused.until.toISOString().slice(0, 10)}`;
      return new AppError('failed_precondition', 'username_locked', text);
    }
    case 'username_taken':
      return new AppError('conflict', 'username_taken', 'the username is taken');
  }
}

function noSuchBusiness(): AppError {
  return new AppError('not_found', 'business_not_found', 'no such business');
}
