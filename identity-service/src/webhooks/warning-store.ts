import type { Database } from '@platform/service-kit/database/database.ts';
import { readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { insertAuditEvent } from '../audit/store.ts';
import { Prisma } from '../generated/client.ts';
import { type PrismaClient, sqlTimestamp } from '../platform/storage.ts';
import { addressOf, type DueWarning, type Warning } from './warning.ts';

const dueRow = z.object({ personId: z.string(), email: z.string() }) satisfies z.ZodType<DueWarning>;

/** Days for which the service tries to send an email. */
const tryDays = 1;

export type WarningStore = ReturnType<typeof createWarningStore>;

/** Keeps in PostgreSQL who was warned of what, so that replicas and repetitions send one email. */
export function createWarningStore(database: Database, prisma: PrismaClient) {
  return {
    /** Begins a warning, once: an audit event, and an email for each owner. False when its application does not exist. */
    open: (warning: Warning, requestId: string): Promise<boolean> =>
      database.run(() => prisma.$transaction((tx) => openWarning(tx, warning, requestId))),
    /** Takes the emails that are due. Unsent ones become due again, after a minute at first and up to an hour later. */
    take: (warning: Warning): Promise<DueWarning[]> =>
      database.run(() => {
        const statement = prisma.$queryRaw`
          UPDATE webhook_warnings w SET tries = tries + 1,
            next_try_at = clock_timestamp() + least(make_interval(mins => 60), make_interval(secs => 55) * 2 ^ least(tries, 6))
          FROM people p, memberships m
          WHERE ${sameWarning(warning)} AND w.sent_at IS NULL AND w.next_try_at <= clock_timestamp()
            AND p.id = w.person_id AND m.person_id = w.person_id AND m.business_id = ${BigInt(warning.businessId)}
            AND m.role = 'owner'
          RETURNING w.person_id AS "personId", p.email`;
        return readRows(dueRow, statement);
      }),
    setSent: ({ endpointId, since, step }: Warning, personId: string): Promise<unknown> =>
      database.run(() =>
        prisma.webhookWarning.updateMany({
          where: { endpointId, since: new Date(since), step, personId },
          data: { sentAt: new Date() },
        }),
      ),
    /** Whether every email was sent, or given up after a day. */
    isDone: (warning: Warning): Promise<boolean> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT 1 AS one FROM webhook_warnings w WHERE ${sameWarning(warning)} AND w.sent_at IS NULL
            AND w.created_at > clock_timestamp() - make_interval(days => ${tryDays}) LIMIT 1`;
        return (await readRows(z.object({ one: z.int() }), statement)).length === 0;
      }),
  };
}

function sameWarning({ endpointId, since, step }: Warning): Prisma.Sql {
  return Prisma.sql`w.endpoint_id = ${endpointId} AND w.since = ${sqlTimestamp(since)} AND w.step = ${step}`;
}

async function openWarning(
  tx: Prisma.TransactionClient,
  warning: Warning,
  requestId: string,
): Promise<boolean> {
  const { endpointId, businessId, applicationId, url, step, since } = warning;
  if (applicationId !== '') {
    const application = await tx.application.findFirst({
      where: { id: applicationId, businessId: BigInt(businessId) },
      select: { id: true },
    });
    if (application === null) return false;
  }
  // Replicas that open the same warning wait for each other.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`warning of ${endpointId}`}, 0))`;
  const opened = await tx.$executeRaw`
    INSERT INTO webhook_warnings (endpoint_id, since, step, person_id)
    SELECT ${endpointId}, ${sqlTimestamp(since)}, ${step}, m.person_id FROM memberships m
    WHERE m.business_id = ${BigInt(businessId)} AND m.role = 'owner'
      AND NOT EXISTS (SELECT 1 FROM webhook_warnings w WHERE ${sameWarning(warning)})`;
  if (opened === 0) return true;
  await insertAuditEvent(tx, {
    actor: { kind: 'system', id: 'webhook-service', clientIp: undefined, requestId },
    businessId,
    action: `webhook_endpoint.${auditVerbs[step]}`,
    subjectId: endpointId,
    details: {
      applicationId: applicationId || undefined,
      endpoint: addressOf(url),
      ...reasonOf(step),
      failingSinceAt: since,
    },
  });
  return true;
}

const auditVerbs: Readonly<Record<Warning['step'], string>> = {
  failing: 'failing',
  half_time: 'failing',
  disabled: 'disabled',
  gone: 'disabled',
};

function reasonOf(step: Warning['step']): { readonly reason?: string } {
  if (step === 'gone') return { reason: 'the receiver responded with 410' };
  return step === 'disabled' ? { reason: 'only failures for five days' } : {};
}
