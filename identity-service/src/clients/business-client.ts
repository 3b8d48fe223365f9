import {
  type BusinessMessage,
  businessService,
  customerService,
  eventFeedService,
  sandboxService,
  type VerificationStatus,
} from '@platform/protos/business';
import { maskOf } from '@platform/protos/field-mask';
import {
  createGrpcClient,
  type GrpcClientOptions,
  type UnaryClient,
} from '@platform/service-kit/grpc/client.ts';
import { AppError, toAppError } from '@platform/service-kit/values/app-error.ts';
import { personOf } from '../platform/actor.ts';
import type { BusinessLookup, BusinessRecord, VerificationState } from './business.ts';

/** Deadline for calls that take many statements. */
const manyStatements = { deadlineMs: 10_000 };

export function createBusinessLookup(options: GrpcClientOptions): BusinessLookup {
  const { rpc, close } = createGrpcClient(businessService, options);
  const feed = createGrpcClient(eventFeedService, options);
  const sandbox = createGrpcClient(sandboxService, options);
  const customers = createGrpcClient(customerService, options);
  const read = async (businessId: number, requestId: string) => {
    try {
      return await rpc.GetBusiness({ businessId }, { requestId });
    } catch (error) {
      if (toAppError(error).kind === 'not_found') return undefined;
      throw error;
    }
  };
  return {
    exists: async (businessId, requestId) => (await read(businessId, requestId)) !== undefined,
    find: async (businessId, requestId) => {
      const response = await read(businessId, requestId);
      return response && toRecord(response.business);
    },
    create: async (business, requestId) => {
      try {
        const response = await rpc.CreateBusiness({ logo: '', ...business }, { requestId });
        return { kind: 'created', businessId: toRecord(response.business).id };
      } catch (error) {
        if (toAppError(error).reason === 'username_taken') return { kind: 'username_taken' };
        throw error;
      }
    },
    updateRecord: async (businessId, changes, { requestId, ...actor }) => {
      const request = {
        businessId,
        ...changes,
        updateMask: maskOf(changes),
        personId: personOf(actor) ?? '',
      };
      const { business, previous } = await rpc.UpdateBusiness(request, { requestId });
      return { business: toRecord(business), previous: toRecord(previous) };
    },
    submitVerification: async (businessId, facts, { requestId, ...actor }) => {
      try {
        await rpc.SubmitVerification(
          { businessId, ...facts, personId: personOf(actor) ?? '' },
          { requestId },
        );
        return 'submitted';
      } catch (error) {
        if (toAppError(error).reason === 'wrong_verification_status') return 'not_now';
        throw error;
      }
    },
    decideVerification: async ({ businessId, reason, submittedAt }, requestId) => {
      const which = { businessId, ...(submittedAt !== undefined && { submittedAtUnixMs: submittedAt }) };
      if (reason === undefined) await rpc.ApproveVerification(which, { requestId });
      else await rpc.RejectVerification({ ...which, reason }, { requestId });
    },
    findLookalikes: async (businessId, names, requestId) => {
      const request = { businessId, names: [...names] };
      const { businesses } = await rpc.FindLookalikes(request, { requestId });
      return businesses.map(toRecord);
    },
    findBanned: async (businessIds, requestId) => {
      const { bannedIds } = await rpc.ListBanned({ businessIds: [...businessIds] }, { requestId });
      return new Set(bannedIds);
    },
    search: async ({ verification, banned = false, text, limit }, requestId) => {
      const status =
        verification === undefined ? 'VERIFICATION_STATUS_UNSPECIFIED' : statusMessages[verification];
      const request = { status, banned, search: text, limit } as const;
      const { businesses, hasMore } = await rpc.ListBusinesses(request, { requestId });
      return { businesses: businesses.map(toRecord), hasMore };
    },
    setBan: async (businessId, isBanned, requestId) => {
      if (isBanned) await rpc.BanBusiness({ businessId }, { requestId });
      else await rpc.UnbanBusiness({ businessId }, { requestId });
    },
    listBanChanges: (page, requestId) => rpc.ListBanChanges(page, { requestId }),
    ...feedCalls(feed.rpc),
    sandboxOrders: {
      add: async (businessId, orders) => {
        await sandbox.rpc.AddOrders({ businessId, ...orders }, manyStatements);
      },
      removeAll: async (businessId) => {
        await sandbox.rpc.DeleteOrders({ businessId }, manyStatements);
      },
    },
    eraseCustomer: (businessId, email, { requestId, ...actor }) => {
      const request = { businessId, email, personId: personOf(actor) ?? '' };
      return customers.rpc.EraseCustomer(request, { requestId, ...manyStatements });
    },
    close: () => {
      for (const client of [feed, sandbox, customers]) client.close();
      close();
    },
  };
}

function feedCalls({
  AppendEvents,
  FindAuthor,
}: UnaryClient<typeof eventFeedService>): Pick<BusinessLookup, 'appendEvents' | 'findAuthor'> {
  return {
    appendEvents: async (businessId, pending) => {
      const events = pending.map(({ id, type, data, applicationId = '' }) => ({
        id,
        type,
        data,
        applicationId,
      }));
      await AppendEvents({ businessId, events });
    },
    findAuthor: (event, requestId) => FindAuthor(event, { requestId }),
  };
}

const states = {
  VERIFICATION_STATUS_UNSPECIFIED: 'unverified',
  VERIFICATION_STATUS_UNVERIFIED: 'unverified',
  VERIFICATION_STATUS_PENDING: 'pending',
  VERIFICATION_STATUS_VERIFIED: 'verified',
  VERIFICATION_STATUS_REJECTED: 'rejected',
} as const satisfies Record<VerificationStatus, VerificationState>;

const statusMessages = {
  unverified: 'VERIFICATION_STATUS_UNVERIFIED',
  pending: 'VERIFICATION_STATUS_PENDING',
  verified: 'VERIFICATION_STATUS_VERIFIED',
  rejected: 'VERIFICATION_STATUS_REJECTED',
} as const satisfies Record<VerificationState, VerificationStatus>;

function toRecord(business: BusinessMessage | null): BusinessRecord {
  if (business === null || business.verification === null) {
    throw new AppError('internal', 'empty_response', 'a service call failed');
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
    usernameChangeableAt: business.usernameChangeableAtUnixMs || undefined,
    verification: states[verification.status],
    facts: legalName === '' ? undefined : { legalName, registrationNumber, country },
    submittedAt: verification.submittedAtUnixMs || undefined,
    decidedAt: verification.decidedAtUnixMs || undefined,
    rejectionReason: verification.rejectionReason,
  };
}
