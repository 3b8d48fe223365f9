import { businessService } from '@platform/protos/business';
import type { Client } from '@platform/service-kit/database/connection.ts';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { call, type DemoBusiness, grpcOptions, type SeedContext } from './context.ts';

/** Fields of a business to make. */
interface BusinessFacts {
  readonly username: string;
  readonly accountHolder: string;
  readonly legal: {
    readonly legalName: string;
    readonly registrationNumber: string;
    readonly country: string;
  };
}

/** The business that owns the demo data, and approves applications. */
export const demoBusiness: BusinessFacts = {
  username: 'demo',
  accountHolder: 'Demo Trading',
  legal: { legalName: 'Demo Trading Limited', registrationNumber: 'HRB 20266', country: 'DE' },
};

/** The business that offers the demo application. */
export const applicationOwner: BusinessFacts = {
  username: 'demo-software',
  accountHolder: 'Demo Software',
  legal: { legalName: 'Demo Software Limited', registrationNumber: 'HRB 20267', country: 'DE' },
};

/** Creates and verifies a business step by step, continuing where an interrupted start has ended. */
export async function ensureVerifiedBusiness(
  { businessGrpcTarget, businessDatabase }: SeedContext,
  { username, accountHolder, legal }: BusinessFacts,
): Promise<DemoBusiness> {
  const { rpc, close } = createGrpcClient(businessService, grpcOptions(businessGrpcTarget));
  try {
    const businessId =
      (await findBusinessId(businessDatabase, username)) ??
      (await rpc.CreateBusiness({ accountHolder, username, logo: '' }, call)).business?.id ??
      0;
    const { business: found } = await rpc.GetBusiness({ businessId }, call);
    const status = found?.verification?.status;
    if (status === 'VERIFICATION_STATUS_UNVERIFIED') {
      await rpc.SubmitVerification({ businessId, ...legal }, call);
    }
    if (status !== 'VERIFICATION_STATUS_VERIFIED') await rpc.ApproveVerification({ businessId }, call);
    const { business } = await rpc.GetBusiness({ businessId }, call);
    if (business === null) throw new Error('business-service returned no business.');
    return { id: business.id, uniqueId: business.uniqueId, username: business.username };
  } finally {
    close();
  }
}

/** The business that has a username, or had it before a person renamed it; undefined where there is none. */
export async function findBusinessId(database: Client, username: string): Promise<number | undefined> {
  const text = 'SELECT business_id AS id FROM usernames WHERE username = $1';
  const found = await database.query<{ id: number }>(text, [username]);
  return found.rows[0]?.id;
}

/**
 * Makes a person an owner of a business that existed before the person: in data of earlier versions, or after an interrupted
 * sign-up. Writes to the database, because no form or call can do this.
 */
export async function adoptBusiness(
  identityDatabase: Client,
  email: string,
  businessId: number,
): Promise<void> {
  await identityDatabase.query(
    `INSERT INTO memberships (person_id, business_id, role)
       SELECT id, $2, 'owner' FROM people WHERE email = $1 ON CONFLICT DO NOTHING`,
    [email, businessId],
  );
}
