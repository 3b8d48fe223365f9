import type { Prisma } from '../generated/client.ts';
import type { AuthorizationTransaction } from '../oauth/authorization/authorization-store.ts';
import { type ApplicationRow, applicationColumns, toApplication } from './application-row.ts';
import { insertAuditEvent } from './audit-store.ts';
import { type LiveGrantRow, toLiveGrant } from './live-grant-row.ts';

/** What an approval does in one transaction of `client`. */
export function createAuthorizationTransaction(client: Prisma.TransactionClient): AuthorizationTransaction {
  return {
    answerConsent: async (id) => {
      // Kept longer than any session lasts, and with its session a page is dead.
      const inserted = await client.$executeRaw`
        INSERT INTO answered_consents (id, expires_at) VALUES (${id}, clock_timestamp() + interval '31 days')
        ON CONFLICT DO NOTHING`;
      return inserted === 1;
    },
    lockApplication: async (id) => {
      const held = await client.$queryRaw<unknown[]>`
        SELECT 1 FROM applications WHERE id = ${id} FOR NO KEY UPDATE`;
      if (held.length === 0) return undefined;
      // A statement of its own: the Grants that are counted beside the row must be as new as the lock.
      const [row] = await client.$queryRaw<ApplicationRow[]>`
        SELECT ${applicationColumns} FROM applications a WHERE a.id = ${id}`;
      return row && toApplication(row);
    },
    isOwner: async (personId, businessId) => {
      const rows = await client.$queryRaw<unknown[]>`
        SELECT 1 FROM memberships
        WHERE person_id = ${personId} AND business_id = ${BigInt(businessId)} AND role = 'owner'`;
      return rows.length === 1;
    },
    findLiveGrant: async (applicationId, businessId) => {
      const [row] = await client.$queryRaw<LiveGrantRow[]>`
        SELECT id, business_id, scopes FROM grants
        WHERE application_id = ${applicationId} AND business_id = ${BigInt(businessId)} AND ended_at IS NULL
        FOR NO KEY UPDATE`;
      return row && toLiveGrant(row);
    },
    insertGrant: async ({ id, applicationId, businessId, personId, scopes }) => {
      await client.$executeRaw`
        INSERT INTO grants (id, application_id, business_id, person_id, scopes)
        VALUES (${id}, ${applicationId}, ${BigInt(businessId)}, ${personId}, ${[...scopes]})`;
    },
    approveAgain: async (id, personId, scopes) => {
      await client.$executeRaw`
        UPDATE grants SET scopes = ${[...scopes]}, person_id = ${personId}, approved_at = clock_timestamp()
        WHERE id = ${id}`;
    },
    insertCode: async ({ hash, grantId, redirectUri, codeChallenge, scopes, lifetimeSeconds }) => {
      await client.$executeRaw`
        INSERT INTO authorization_codes (code_hash, grant_id, redirect_uri, code_challenge, scopes, expires_at)
        VALUES (${hash}, ${grantId}, ${redirectUri}, ${codeChallenge}, ${[...scopes]},
                clock_timestamp() + make_interval(secs => ${lifetimeSeconds}))`;
    },
    audit: (event) => insertAuditEvent(client, event),
  };
}
