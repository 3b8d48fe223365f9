import { z } from 'zod';
import { auditPageSize, maxExportedEvents } from '../../../audit/audit-reader.ts';
import { givenInstant } from '../instant.ts';
import { nextCursor } from '../page-cursor.ts';
import { declare, noBody, none } from '../spec.ts';
import { auditActor, auditEvent } from './audit-schemas.ts';

const all = '/businesses/{businessId}/audit-events';

const filter = {
  action: z
    .string()
    .regex(/^[a-z_]{1,40}\.(\*|[a-z_]{1,40})$/, 'must be an action such as api_key.created, or api_key.*')
    .optional()
    .describe('One action, as `api_key.created`, or all of a kind, as `api_key.*`.'),
  actor: z
    .string()
    .regex(/^(person|operator|application|system):.{1,200}$/, 'must be a kind and an id, as person:per_1')
    .transform((text) => toActor(text))
    .optional()
    .describe('Who did it: kind and id, as `person:per_1`.'),
  from: givenInstant.optional().describe('Events of this moment or later.'),
  to: givenInstant.optional().describe('Events before this moment.'),
};

const kinds = z.enum(['person', 'operator', 'application', 'system']);

function toActor(text: string) {
  const colon = text.indexOf(':');
  return { kind: kinds.parse(text.slice(0, colon)), id: text.slice(colon + 1) };
}

const rightOrder = ({ from, to }: { from?: number | undefined; to?: number | undefined }) =>
  from === undefined || to === undefined || from < to;
const wrongOrder = { path: ['to'], error: 'must be later than from' };

export const listAuditEvents = declare({
  id: 'listAuditEvents',
  method: 'GET',
  path: all,
  summary: `Who did what in a business, newest first; ${auditPageSize} events a page.`,
  query: z
    .strictObject({
      ...filter,
      cursor: z
        .string()
        .regex(/^[1-9]\d{0,17}$/, 'is not a cursor of this list')
        .optional()
        .describe('The `nextCursor` of the page before.'),
    })
    .refine(rightOrder, wrongOrder),
  body: noBody,
  answer: z.object({
    events: z.array(auditEvent),
    nextCursor,
  }),
});

export const listAuditActors = declare({
  id: 'listAuditActors',
  method: 'GET',
  path: `${all}/actors`,
  summary: 'Who did something of late, the latest first; 100 at most.',
  query: none,
  body: noBody,
  answer: z.object({ actors: z.array(auditActor) }),
});

export const exportAuditEvents = declare({
  id: 'exportAuditEvents',
  method: 'GET',
  path: '/businesses/{businessId}/audit-events.csv',
  summary: `The same as CSV (RFC 4180); the newest ${maxExportedEvents} events at most, and the name of the file says so.`,
  query: z.strictObject(filter).refine(rightOrder, wrongOrder),
  body: noBody,
  answer: z.string(),
  mediaType: 'text/csv',
});

export const auditSpecs = [listAuditEvents, listAuditActors, exportAuditEvents];
