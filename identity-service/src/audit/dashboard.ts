import { z } from 'zod';
import { nextCursor } from '../platform/pagination.ts';
import { toCsv } from '../web/dashboard-api/csv.ts';
import { givenInstant, instant } from '../web/dashboard-api/fields.ts';
import { businessOperation, type Operation } from '../web/dashboard-api/operation.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';
import { actionGroups } from './action-filter.ts';
import { deletedAccount, type RecordedActor, type RecordedEvent } from './event.ts';
import { type DetailValue, describeEvent, readDetails } from './event-description.ts';
import { type AuditReader, auditPageSize, maxExportedEvents } from './store.ts';

const auditActor = z
  .object({
    kind: z.enum(['person', 'operator', 'application', 'system']),
    id: z.string(),
    name: z.string().nullable().describe('Of a person or an application that still exists.'),
    email: z.string().nullable(),
  })
  .meta({ id: 'AuditActor' });

const value = z.string().nullable().describe('Text or time (RFC 3339); null for no value.');

const auditEvent = z
  .object({
    id: z.string(),
    at: instant,
    actor: auditActor,
    clientIp: z.string().nullable(),
    requestId: z.string(),
    action: z.string().describe('Such as `api_key.created`.'),
    words: z.string().describe('The action in plain words, without its actor.'),
    subject: z
      .object({
        kind: z.string().describe('First part of the action.'),
        id: z.string(),
        name: z.string().nullable().describe('Name that it had then; of a person the current one.'),
        exists: z.boolean().describe('Whether the business still has it.'),
      })
      .meta({ id: 'AuditSubject' }),
    facts: z.array(z.object({ field: z.string(), label: z.string(), value }).meta({ id: 'AuditFact' })),
    changes: z.array(
      z.object({ field: z.string(), label: z.string(), from: value, to: value }).meta({ id: 'AuditChange' }),
    ),
  })
  .meta({ id: 'AuditEvent' });

/** Shows operators by their role, because customers must not learn the login of a person who runs the platform. */
const shownId = ({ kind, id }: RecordedActor): string => (kind === 'operator' ? kind : id);

function toAuditActor(actor: RecordedActor): z.input<typeof auditActor> {
  const { kind, name, email } = actor;
  return { kind, id: shownId(actor), name: name ?? null, email: email ?? null };
}

/** Event as the dashboard API returns it. */
function toAuditEvent(event: RecordedEvent): z.input<typeof auditEvent> {
  const { facts, changes } = readDetails(event.details);
  return {
    ...event,
    actor: toAuditActor(event.actor),
    clientIp: event.clientIp ?? null,
    words: describeEvent(event),
    subject: { ...event.subject, name: event.subject.name ?? null },
    facts: facts.map((fact) => ({ ...fact, value: formatValue(fact.value) })),
    changes: changes.map((change) => ({
      ...change,
      from: formatValue(change.from),
      to: formatValue(change.to),
    })),
  };
}

/** A recorded value as text; times in RFC 3339. */
function formatValue(value: DetailValue): string | null {
  return typeof value === 'number' ? new Date(value).toISOString() : value;
}

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

/** Events as CSV with a header, newest first. Times are RFC 3339 in UTC. */
function toAuditCsv(events: readonly RecordedEvent[]): string {
  return toCsv([columns, ...events.map(toRow)]);
}

/** Name of an export. @param isPartial true when it does not contain all events */
function auditFileName(now: number, isPartial: boolean): string {
  const day = new Date(now).toISOString().slice(0, 10);
  return `audit-log-${day}${isPartial ? `-newest-${maxExportedEvents}` : ''}.csv`;
}

function toRow(event: RecordedEvent): string[] {
  const { actor, subject } = event;
  return [
    new Date(event.at).toISOString(),
    actor.name ?? (actor.kind === 'person' ? deletedAccount : ''),
    actor.email ?? '',
    actor.kind,
    shownId(actor),
    event.clientIp ?? '',
    describeEvent(event),
    event.action,
    subject.id,
    subject.name ?? '',
    detailTexts(event.details).join('; '),
    event.requestId,
  ];
}

/** Recorded details, as `Limit: 50 → 80` and `Reason: …`. */
export function detailTexts(details: RecordedEvent['details']): string[] {
  const { facts, changes } = readDetails(details);
  const format = (value: DetailValue) => formatValue(value) ?? 'none';
  return [
    ...changes.map(({ label, from, to }) => `${label}: ${format(from)} → ${format(to)}`),
    ...facts.map(({ label, value }) => `${label}: ${format(value)}`),
  ];
}

const collection = '/businesses/{businessId}/audit-events';

const filter = {
  action: z
    .string()
    .regex(/^[a-z_]{1,40}\.(\*|[a-z_]{1,40})$/, 'must be an action such as api_key.created, or api_key.*')
    .optional()
    .describe('One action, such as `api_key.created`, or all of a kind, such as `api_key.*`.'),
  actor: z
    .string()
    .regex(/^(person|operator|application|system):.{1,200}$/, 'must be a kind and an id such as person:per_1')
    .transform((text) => toActor(text))
    .optional()
    .describe('Kind and id of the actor, such as `person:per_1`.'),
  from: givenInstant.optional().describe('Events at or after this time.'),
  to: givenInstant.optional().describe('Events before this time.'),
};

const kinds = z.enum(['person', 'operator', 'application', 'system']);

function toActor(text: string) {
  const colon = text.indexOf(':');
  return { kind: kinds.parse(text.slice(0, colon)), id: text.slice(colon + 1) };
}

const isOrdered = ({ from, to }: { from?: number | undefined; to?: number | undefined }) =>
  from === undefined || to === undefined || from < to;

const notOrdered = { path: ['to'], error: 'must be later than from' };

const listAuditEvents = declare({
  id: 'listAuditEvents',
  method: 'GET',
  path: collection,
  summary: `Audit events of a business, newest first; ${auditPageSize} a page.`,
  query: z
    .strictObject({
      ...filter,
      cursor: z
        .string()
        .regex(/^[1-9]\d{0,17}$/, 'is not a cursor of this list')
        .optional()
        .describe('`nextCursor` of the previous page.'),
    })
    .refine(isOrdered, notOrdered),
  body: noBody,
  response: z.object({
    events: z.array(auditEvent),
    nextCursor,
  }),
});

const listAuditActors = declare({
  id: 'listAuditActors',
  method: 'GET',
  path: `${collection}/actors`,
  summary: 'Actors of recent events, latest first; 100 at most.',
  query: none,
  body: noBody,
  response: z.object({ actors: z.array(auditActor) }),
});

const listAuditActions = declare({
  id: 'listAuditActions',
  method: 'GET',
  path: `${collection}/actions`,
  summary: 'Actions that audit events can be filtered by, in groups.',
  query: none,
  body: noBody,
  response: z.object({
    groups: z.array(
      z.object({
        group: z.string(),
        items: z.array(z.object({ value: z.string().describe('Value of `action`.'), label: z.string() })),
      }),
    ),
  }),
});

const exportAuditEvents = declare({
  id: 'exportAuditEvents',
  method: 'GET',
  path: '/businesses/{businessId}/audit-events.csv',
  summary: `Audit events as CSV (RFC 4180); the newest ${maxExportedEvents} at most, which the file name then says.`,
  query: z.strictObject(filter).refine(isOrdered, notOrdered),
  body: noBody,
  response: z.string(),
  mediaType: 'text/csv',
});

export const auditSpecs = [listAuditEvents, listAuditActors, listAuditActions, exportAuditEvents];

interface AuditOperationsDeps {
  readonly auditLog: AuditReader;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Operations on the audit log of a business. */
export function auditOperations({ auditLog, now }: AuditOperationsDeps): Operation[] {
  return [
    businessOperation(listAuditEvents, async ({ businessId, query: { cursor, ...filter } }) => {
      const { events, next } = await auditLog.page(businessId, filter, auditPageSize, cursor);
      return { events: events.map(toAuditEvent), nextCursor: next ?? null };
    }),
    businessOperation(listAuditActors, async ({ businessId }) => ({
      actors: (await auditLog.actors(businessId)).map(toAuditActor),
    })),
    businessOperation(listAuditActions, async () => ({
      groups: actionGroups.map(({ group, items }) => ({ group, items: [...items] })),
    })),
    businessOperation(exportAuditEvents, async ({ businessId, query, res }) => {
      const { events, next } = await auditLog.page(businessId, query, maxExportedEvents, undefined);
      const name = auditFileName(now(), next !== undefined);
      res.set('Content-Disposition', `attachment; filename="${name}"`);
      return toAuditCsv(events);
    }),
  ];
}
