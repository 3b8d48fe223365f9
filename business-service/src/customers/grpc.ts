import { customerService } from '@platform/protos/business';
import { type GrpcService, grpcService } from '@platform/service-kit/grpc/server.ts';
import { parseInput, parseRequest } from '@platform/service-kit/input/validation.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { z } from 'zod';
import type { BusinessStore } from '../businesses/store.ts';
import { emailField } from '../orders/order.ts';
import { businessId } from '../values.ts';
import { type CustomerDeps, eraseCustomer } from './operations.ts';

const eraseRequest = z.object({ businessId, email: z.string(), personId: z.string().max(100) });

const listRequest = z.object({ afterId: z.int().min(0), limit: z.int().min(1).max(1_000) });

const confirmRequest = z.object({ ids: z.array(z.int().min(1)).max(1_000) });

interface CustomerServiceDeps extends CustomerDeps {
  readonly businesses: Pick<BusinessStore, 'profile'>;
}

/** business.v1.CustomerService over a store. */
export function createCustomerService(deps: CustomerServiceDeps): GrpcService {
  return grpcService(customerService, {
    EraseCustomer: async (request) => {
      const { businessId, personId, ...rest } = parseRequest(eraseRequest, request);
      const email = parseInput(emailField, rest.email, 'invalid_email');
      if ((await deps.businesses.profile(businessId))?.isBanned === true) {
        throw new AppError('failed_precondition', 'business_banned', 'the business is banned');
      }
      return eraseCustomer(deps, { businessId, credentialId: personId || null }, email);
    },
    ListErasedEvents: async (request) => {
      const { afterId, limit } = parseRequest(listRequest, request);
      return { events: [...(await deps.customers.listErased(afterId, limit))] };
    },
    ConfirmErasedEvents: async (request) => {
      await deps.customers.confirmErased(parseRequest(confirmRequest, request).ids);
      return {};
    },
  });
}
