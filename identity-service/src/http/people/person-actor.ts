import type { Response } from 'express';
import type { Actor } from '../../audit/audit-event.ts';

/** A person as the audit log wants it. */
export function personActor(res: Response, personId: string): Actor {
  return { kind: 'person', id: personId, ...res.locals.caller };
}
