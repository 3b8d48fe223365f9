import { type AuditReader, auditPageSize, maxExportedEvents } from '../../../audit/audit-reader.ts';
import { businessOperation, type Operation } from '../operation.ts';
import { toAuditActor, toAuditEvent } from './audit-answer.ts';
import { auditFileName, toAuditCsv } from './audit-csv.ts';
import { exportAuditEvents, listAuditActors, listAuditEvents } from './audit-specs.ts';

export interface AuditOperationsDeps {
  readonly audit: AuditReader;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function auditOperations({ audit, now }: AuditOperationsDeps): Operation[] {
  return [
    businessOperation(listAuditEvents, async ({ businessId, query: { cursor, ...filter } }) => {
      const { events, next } = await audit.page(businessId, filter, auditPageSize, cursor);
      return { events: events.map(toAuditEvent), nextCursor: next ?? null };
    }),
    businessOperation(listAuditActors, async ({ businessId }) => ({
      actors: (await audit.actors(businessId)).map(toAuditActor),
    })),
    businessOperation(exportAuditEvents, async ({ businessId, query, res }) => {
      const { events, next } = await audit.page(businessId, query, maxExportedEvents, undefined);
      const name = auditFileName(now(), next !== undefined);
      res.set('Content-Disposition', `attachment; filename="${name}"`);
      return toAuditCsv(events);
    }),
  ];
}
