import { businessService } from '@platform/protos/business';
import { createGrpcClient } from '@platform/service-kit/grpc-client.ts';
import type pg from 'pg';

export interface DemoBusiness {
  readonly id: number;
  readonly uniqueId: string;
  readonly username: string;
}

const username = 'demo';
const call = { deadlineMs: 10_000 };

/** The demo business, made and verified step by step from wherever an earlier start was cut off. */
export async function ensureDemoBusiness(grpcTarget: string, database: pg.Client): Promise<DemoBusiness> {
  const { rpc, close } = createGrpcClient(businessService, { target: grpcTarget, tls: { kind: 'plain' } });
  try {
    const businessId = (await findDemoBusiness(database)) ?? (await create(rpc));
    const status = await verificationStatus(rpc, businessId);
    if (status === 'VERIFICATION_STATUS_UNVERIFIED') {
      const facts = { legalName: 'Demo Trading Limited', registrationNumber: 'HRB 20266', country: 'DE' };
      await rpc.SubmitVerification({ businessId, ...facts }, call);
    }
    if (status !== 'VERIFICATION_STATUS_VERIFIED') await rpc.ApproveVerification({ businessId }, call);
    const { business } = await rpc.GetBusiness({ businessId }, call);
    if (business === null) throw new Error('business-service answered without the business.');
    return { id: business.id, uniqueId: business.uniqueId, username: business.username };
  } finally {
    close();
  }
}

type BusinessRpc = ReturnType<typeof createGrpcClient<typeof businessService>>['rpc'];

async function findDemoBusiness(database: pg.Client): Promise<number | undefined> {
  const found = await database.query<{ id: number }>('SELECT id FROM businesses WHERE username = $1', [
    username,
  ]);
  return found.rows[0]?.id;
}

async function create(rpc: BusinessRpc): Promise<number> {
  const made = await rpc.CreateBusiness({ accountHolder: 'Demo Trading', username, logo: '' }, call);
  return made.business?.id ?? 0;
}

async function verificationStatus(rpc: BusinessRpc, businessId: number) {
  const { business } = await rpc.GetBusiness({ businessId }, call);
  return business?.verification?.status;
}
