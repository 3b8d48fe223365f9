import { sandboxService } from '@platform/protos/business';
import { type GrpcService, grpcService } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/input/validation.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { randomId } from '@platform/service-kit/values/ids.ts';
import { z } from 'zod';
import type { BusinessStore } from '../businesses/store.ts';
import { composeOrder } from '../orders/order.ts';
import type { OrderStore } from '../orders/store.ts';
import { businessId } from '../values.ts';
import { inventedOrder, journeyOf, stepTo } from './invented-order.ts';

const addRequest = z.object({ businessId, count: z.int().min(1).max(20), inAllStates: z.boolean() });

const deleteRequest = z.object({ businessId });

interface SandboxDeps {
  readonly businesses: Pick<BusinessStore, 'isSandbox'>;
  readonly orders: Pick<OrderStore, 'insert' | 'change' | 'removeAll'>;
}

/** business.v1.SandboxService over the stores. */
export function createSandboxService({ businesses, orders }: SandboxDeps): GrpcService {
  const checkSandbox = async (id: number) => {
    if (await businesses.isSandbox(id)) return;
    throw new AppError('failed_precondition', 'not_a_sandbox', 'the business is not a sandbox');
  };
  return grpcService(sandboxService, {
    AddOrders: async (request) => {
      const { businessId, count, inAllStates } = parseRequest(addRequest, request);
      await checkSandbox(businessId);
      const author = { businessId, credentialId: null };
      for (let index = 0; index < count; index++) {
        const id = randomId('ord');
        await orders.insert(author, undefined, ({ orderNumber: number, now }) =>
          composeOrder(inventedOrder(inAllStates ? index : number), { id, businessId, number, now }),
        );
        const journey = inAllStates ? journeyOf(index) : [];
        for (const status of journey) await orders.change(author, id, stepTo(status));
      }
      return {};
    },
    DeleteOrders: async (request) => {
      const { businessId } = parseRequest(deleteRequest, request);
      await checkSandbox(businessId);
      await orders.removeAll(businessId);
      return {};
    },
  });
}
