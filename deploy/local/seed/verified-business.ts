import { businessService } from '@platform/protos/business';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import type pg from 'pg';
import type { BusinessFacts } from './demo-businesses.ts';

export interface SeededBusiness {
  readonly id: number;
  readonly uniqueId: string;
  readonly username: string;
}

const call = { deadlineMs: 10_000 };

/** A business, made and verified step by step from wherever an earlier start was cut off. */
export async function ensureVerifiedBusiness(
  grpcTarget: string,
  database: pg.Client,
  { username, accountHolder, legal }: BusinessFacts,
): Promise<SeededBusiness> {
  const { rpc, close } = createGrpcClient(businessService, { target: grpcTarget, tls: { kind: 'plain' } });
  try {
    const businessId =
      (await findBusinessId(database, username)) ??
      (await rpc.CreateBusiness({ accountHolder, username, logo: '' }, call)).business?.id ??
      0;
    const status = await verificationStatus(rpc, businessId);
    if (status === 'VERIFICATION_STATUS_UNVERIFIED') {
      await rpc.SubmitVerification({ businessId, ...legal }, call);
    }
    if (status !== 'VERIFICATION_STATUS_VERIFIED') await rpc.ApproveVerification({ businessId }, call);
    const { business } = await rpc.GetBusiness({ businessId }, call);
    if (business === null) throw new Error('business-service answered without the business.');
    return { id: business.id, uniqueId: business.uniqueId, username: business.username };
  } finally {
    close();
  }
}

/** Undefined when nobody goes by that name. */
export async function findBusinessId(database: pg.Client, username: string): Promise<number | undefined> {
  const text = 'SELECT id FROM businesses WHERE username = $1';
  const found = await database.query<{ id: number }>(text, [username]);
  return found.rows[0]?.id;
}

type BusinessRpc = ReturnType<typeof createGrpcClient<typeof businessService>>['rpc'];

async function verificationStatus(rpc: BusinessRpc, businessId: number) {
  const { business } = await rpc.GetBusiness({ businessId }, call);
  return business?.verification?.status;
}
