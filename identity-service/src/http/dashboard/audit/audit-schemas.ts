import { z } from 'zod';
import { instant } from '../instant.ts';

export const auditActor = z
  .object({
    kind: z.enum(['person', 'operator', 'application', 'system']),
    id: z.string(),
    name: z.string().nullable().describe('Of a person or an application that still exists.'),
    email: z.string().nullable(),
  })
  .meta({ id: 'AuditActor' });

const value = z.string().nullable().describe('A text, or a moment (RFC 3339); null where there is none.');

export const auditEvent = z
  .object({
    id: z.string(),
    at: instant,
    actor: auditActor,
    clientIp: z.string().nullable(),
    requestId: z.string(),
    action: z.string().describe('As `api_key.created`.'),
    words: z.string().describe('The same in plain words, without who did it.'),
    subject: z
      .object({
        kind: z.string().describe('First part of the action.'),
        id: z.string(),
        name: z.string().nullable().describe('Its name now, or its last one where it is gone.'),
        exists: z.boolean().describe('Whether it is still there for this business.'),
      })
      .meta({ id: 'AuditSubject' }),
    facts: z.array(z.object({ field: z.string(), label: z.string(), value }).meta({ id: 'AuditFact' })),
    changes: z.array(
      z.object({ field: z.string(), label: z.string(), from: value, to: value }).meta({ id: 'AuditChange' }),
    ),
  })
  .meta({ id: 'AuditEvent' });
