import { maxExportedEvents } from '../../../audit/audit-reader.ts';
import { type DetailValue, readDetails } from '../../../audit/event-details.ts';
import { wordsOf } from '../../../audit/event-words.ts';
import type { RecordedEvent } from '../../../audit/recorded-event.ts';
import { writeValue } from './audit-answer.ts';
import { toCsv } from './csv.ts';

const columns = [
  'time',
  'who',
  'mail',
  'actor_kind',
  'actor_id',
  'address',
  'what',
  'action',
  'subject_id',
  'subject_name',
  'details',
  'request_id',
];

/** Events with a heading, newest first. Times are RFC 3339 in UTC. */
export function toAuditCsv(events: readonly RecordedEvent[]): string {
  return toCsv([columns, ...events.map(toRow)]);
}

/** @param cut whether there are more events than are in the file */
export function auditFileName(now: number, cut: boolean): string {
  const day = new Date(now).toISOString().slice(0, 10);
  return `audit-log-${day}${cut ? `-newest-${maxExportedEvents}` : ''}.csv`;
}

function toRow(event: RecordedEvent): string[] {
  const { actor, subject } = event;
  return [
    new Date(event.at).toISOString(),
    actor.name ?? '',
    actor.email ?? '',
    actor.kind,
    actor.id,
    event.clientIp ?? '',
    wordsOf(event),
    event.action,
    subject.id,
    subject.name ?? '',
    detailsOf(event),
    event.requestId,
  ];
}

function detailsOf({ details }: RecordedEvent): string {
  const { facts, changes } = readDetails(details);
  const write = (value: DetailValue) => writeValue(value) ?? 'none';
  return [
    ...changes.map(({ label, from, to }) => `${label}: ${write(from)} → ${write(to)}`),
    ...facts.map(({ label, value }) => `${label}: ${write(value)}`),
  ].join('; ');
}
