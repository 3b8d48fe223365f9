import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import { sessionReference } from '../../sessions/session-id.ts';
import { type Answer, handle } from '../answer.ts';
import { fieldsOf } from '../read-form.ts';
import { personOf, requirePerson } from '../require-person.ts';
import { exactRouter } from '../router.ts';
import { type EndSessionDeps, endOtherSessions, endSession } from './end-session.ts';
import { sessionsPage } from './session-page.ts';

export type SessionRoutesDeps = EndSessionDeps;

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
  const ended = await endSession(deps, req, res, reference);
  return { redirect: ended === 'this_one' ? '/login?after=logged-out' : '/account/sessions' };
}

async function endOthers(deps: SessionRoutesDeps, res: Response): Promise<Answer> {
  fieldsOf(endOthersForm, res.locals.form);
  await endOtherSessions(deps, res);
  return { redirect: '/account/sessions' };
}
