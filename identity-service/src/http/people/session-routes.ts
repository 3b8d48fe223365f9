import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { PersonStore } from '../../people/person-store.ts';
import { sessionReference } from '../../sessions/session-id.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import { type Answer, handle } from '../answer.ts';
import { fieldsOf } from '../read-form.ts';
import { personOf, requirePerson } from '../require-person.ts';
import { exactRouter } from '../router.ts';
import type { Sessions } from '../session.ts';
import { personActor } from './person-actor.ts';
import { sessionsPage } from './session-page.ts';

export interface SessionRoutesDeps {
  readonly people: PersonStore;
  readonly sessions: Sessions;
  readonly sessionStore: SessionStore;
}

const endForm = z.strictObject({ session: z.string().regex(/^[0-9a-f]{64}$/) });
const endOthersForm = z.strictObject({});

/** A person's sessions: listed, ended one by one or all but this one. */
export function sessionRoutes(deps: SessionRoutesDeps): Router {
  const router = exactRouter();
  router.get(
    '/account/sessions',
    requirePerson,
    handle((_req, res) => showSessions(deps, res)),
  );
  router.post(
    '/account/sessions/end',
    requirePerson,
    handle((req, res) => endOne(deps, req, res)),
  );
  router.post(
    '/account/sessions/end-others',
    requirePerson,
    handle((_req, res) => endOthers(deps, res)),
  );
  return router;
}

async function showSessions({ sessionStore }: SessionRoutesDeps, res: Response): Promise<Answer> {
  const { session } = res.locals;
  const list = await sessionStore.list(personOf(res));
  return { page: sessionsPage(session, list, sessionReference(session.id)) };
}

async function endOne(deps: SessionRoutesDeps, req: Request, res: Response): Promise<Answer> {
  const { session: reference } = fieldsOf(endForm, res.locals.form);
  const personId = personOf(res);
  const isCurrent = reference === sessionReference(res.locals.session.id);
  const ended = await deps.sessionStore.removeOne(personId, reference);
  if (ended) await audit(deps, res, { session: reference.slice(0, 12) });
  if (!isCurrent) return { redirect: '/account/sessions' };
  await deps.sessions.end(req, res);
  return { redirect: '/login?after=logged-out' };
}

async function endOthers(deps: SessionRoutesDeps, res: Response): Promise<Answer> {
  fieldsOf(endOthersForm, res.locals.form);
  const count = await deps.sessionStore.removeOthers(personOf(res), res.locals.session.id);
  if (count > 0) await audit(deps, res, { count });
  return { redirect: '/account/sessions' };
}

function audit(
  { people }: SessionRoutesDeps,
  res: Response,
  details: Record<string, unknown>,
): Promise<void> {
  const personId = personOf(res);
  const act = { actor: personActor(res, personId), action: 'person.session_ended', details };
  return people.inTransaction((transaction) => transaction.audit(personId, act));
}
