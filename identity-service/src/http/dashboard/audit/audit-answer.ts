import type { z } from 'zod';
import { type DetailValue, readDetails } from '../../../audit/event-details.ts';
import { wordsOf } from '../../../audit/event-words.ts';
import type { RecordedActor, RecordedEvent } from '../../../audit/recorded-event.ts';
import type { auditActor, auditEvent } from './audit-schemas.ts';

export function toAuditActor({ name, email, ...actor }: RecordedActor): z.input<typeof auditActor> {
  return { ...actor, name: name ?? null, email: email ?? null };
}

/** An event as the dashboard shows it. */
export function toAuditEvent(event: RecordedEvent): z.input<typeof auditEvent> {
  const { facts, changes } = readDetails(event.details);
  return {
    ...event,
    actor: toAuditActor(event.actor),
    clientIp: event.clientIp ?? null,
    words: wordsOf(event),
    subject: { ...event.subject, name: event.subject.name ?? null },
    facts: facts.map((fact) => ({ ...fact, value: writeValue(fact.value) })),
    changes: changes.map((change) => ({
      ...change,
      from: writeValue(change.from),
      to: writeValue(change.to),
    })),
  };
}

/** A recorded value as text: moments in RFC 3339. */
export function writeValue(value: DetailValue): string | null {
  return typeof value === 'number' ? new Date(value).toISOString() : value;
}
