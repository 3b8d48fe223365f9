import type { AuditEvent } from '../audit/audit-event.ts';
import type { Prisma } from '../generated/client.ts';

/** Records a change in the transaction that makes it. */
export async function insertAuditEvent(
  client: Prisma.TransactionClient,
  { actor, businessId, action, subjectId, details }: AuditEvent,
): Promise<void> {
  await client.$executeRaw`
    INSERT INTO audit_events
      (business_id, actor_kind, actor_id, client_ip, request_id, action, subject_id, details)
    VALUES
      (${BigInt(businessId)}, ${actor.kind}, ${actor.id}, ${actor.clientIp ?? null}, ${actor.requestId},
       ${action}, ${subjectId}, ${JSON.stringify(details)}::jsonb)`;
}
