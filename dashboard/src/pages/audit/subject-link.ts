import type { AuditEvent } from './audit-log.ts';

/** The page about what an event is about, within the business; undefined where there is none any more. */
export function subjectLink({ kind, id, exists }: AuditEvent['subject']): string | undefined {
  if (!exists) return undefined;
  switch (kind) {
    case 'api_key':
      return `/developers/keys/${id}`;
    case 'application':
      return `/developers/apps/${id}`;
    case 'grant':
      return '/connected';
    case 'person':
    case 'member':
    case 'business':
      return '/settings/business';
    default:
      return undefined;
  }
}
