import type { Request, Response } from 'express';
import type { PersonStore } from '../../people/person-store.ts';
import { sessionReference } from '../../sessions/session-id.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import { personOf } from '../require-person.ts';
import type { Sessions } from '../session.ts';
import { personActor } from './person-actor.ts';

export interface EndSessionDeps {
  readonly people: PersonStore;
  readonly sessions: Sessions;
  readonly sessionStore: SessionStore;
}

/** Ends one of the person's sessions. `this_one`: the person is logged out here, and the cookie is gone. */
export async function endSession(
  deps: EndSessionDeps,
  req: Request,
  res: Response,
  reference: string,
): Promise<'this_one' | 'another' | 'none'> {
  const isCurrent = reference === sessionReference(res.locals.session.id);
  const ended = await deps.sessionStore.removeOne(personOf(res), reference);
  if (ended) await audit(deps, res, { session: reference.slice(0, 12) });
  if (isCurrent) {
    await deps.sessions.end(req, res);
    return 'this_one';
  }
  return ended ? 'another' : 'none';
}

/** Ends all of the person's sessions but the one that asks. Resolves to how many. */
export async function endOtherSessions(deps: EndSessionDeps, res: Response): Promise<number> {
  const count = await deps.sessionStore.removeOthers(personOf(res), res.locals.session.id);
  if (count > 0) await audit(deps, res, { count });
  return count;
}

function audit({ people }: EndSessionDeps, res: Response, details: Record<string, unknown>): Promise<void> {
  const personId = personOf(res);
  const act = { actor: personActor(res, personId), action: 'person.session_ended', details };
  return people.inTransaction((transaction) => transaction.audit(personId, act));
}
