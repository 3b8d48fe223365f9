import { z } from 'zod';
import type { RecordedActor, RecordedEvent } from '../audit/recorded-event.ts';

/** Who did something, as it is read. */
export interface ActorRow {
  readonly actor_kind: string;
  readonly actor_id: string;
  readonly actor_name: string | null;
  readonly actor_email: string | null;
}

/** An event, as it is read. */
export interface AuditRow extends ActorRow {
  readonly id: bigint;
  readonly at: Date;
  readonly client_ip: string | null;
  readonly request_id: string;
  readonly action: string;
  readonly subject_id: string;
  readonly subject_name: string | null;
  readonly subject_exists: boolean;
  readonly details: unknown;
}

const actorKind = z.enum(['operator', 'person', 'application', 'system']);
const recordedDetails = z.record(z.string(), z.unknown());
/** As it was called, where that is on record: as it was then, or after the change. */
const recordedName = z.union([z.string(), z.object({ to: z.string() }).transform(({ to }) => to)]);

export function toActor(row: ActorRow): RecordedActor {
  return {
    kind: actorKind.parse(row.actor_kind),
    id: row.actor_id,
    name: row.actor_name ?? undefined,
    email: row.actor_email ?? undefined,
  };
}

export function toRecordedEvent(row: AuditRow): RecordedEvent {
  const details = recordedDetails.parse(row.details);
  return {
    id: String(row.id),
    at: row.at.getTime(),
    actor: toActor(row),
    clientIp: row.client_ip ?? undefined,
    requestId: row.request_id,
    action: row.action,
    subject: {
      kind: row.action.split('.', 1)[0] ?? '',
      id: row.subject_id,
      name: row.subject_name ?? recordedName.safeParse(details.name).data,
      exists: row.subject_exists,
    },
    details,
  };
}
