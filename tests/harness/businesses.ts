import { randomBytes } from 'node:crypto';
import { businessService } from '@platform/protos/business';
import { createGrpcClient, type GrpcClient } from '@platform/service-kit/grpc/client.ts';
import { call, callPatience } from './patience.ts';

/** Calls of business-service for the setup of tests. */
export interface Businesses {
  /** The client itself, for everything that has no helper. */
  readonly businessRpc: GrpcClient<typeof businessService>['rpc'];
  /** Creates a business and takes it through verification. Returns its id. */
  createVerifiedBusiness(name: string): Promise<number>;
  /** Creates a business in state unverified. Returns its id. */
  createBusiness(name: string): Promise<number>;
  banBusiness(businessId: number): Promise<void>;
  unbanBusiness(businessId: number): Promise<void>;
}

export function connectBusinesses(target: string): Businesses & { disconnect(): void } {
  const { rpc, close } = createGrpcClient(businessService, {
    target,
    tls: { kind: 'plain' },
    ...callPatience,
  });
  const createBusiness = async (name: string) => {
    const username = `${name}-${randomBytes(4).toString('hex')}`;
    const { business } = await rpc.CreateBusiness({ accountHolder: `${name} Ltd`, username, logo: '' }, call);
    if (business === null) throw new Error('CreateBusiness responded without a business.');
    return business.id;
  };
  return {
    businessRpc: rpc,
    disconnect: close,
    createBusiness,
    createVerifiedBusiness: async (name) => {
      const businessId = await createBusiness(name);
      const facts = { legalName: `${name} Limited`, registrationNumber: 'HRB 1000', country: 'DE' };
      await rpc.SubmitVerification({ businessId, ...facts }, call);
      await rpc.ApproveVerification({ businessId }, call);
      return businessId;
    },
    banBusiness: async (businessId) => void (await rpc.BanBusiness({ businessId }, call)),
    unbanBusiness: async (businessId) => void (await rpc.UnbanBusiness({ businessId }, call)),
  };
}
