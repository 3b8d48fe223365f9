import { HttpError } from '@platform/service-kit/http-error.ts';
import { sessionReference } from '../../../sessions/session-id.ts';
import { type EndSessionDeps, endOtherSessions, endSession } from '../../people/end-session.ts';
import { describeUserAgent } from '../../people/user-agent.ts';
import { type Operation, personOperation } from '../operation.ts';
import * as specs from './profile-specs.ts';

/** Where the person is logged in. */
export function sessionsOperations(deps: EndSessionDeps): Operation[] {
  return [
    personOperation(specs.listSessions, async ({ personId, res }) => {
      const sessions = await deps.sessionStore.list(personId);
      const current = sessionReference(res.locals.session.id);
      return {
        sessions: sessions.map(({ reference, createdAt, lastSeenAt, clientIp, userAgent }) => ({
          ref: reference,
          browser: describeUserAgent(userAgent),
          address: clientIp,
          beganAt: createdAt,
          lastSeenAt,
          isThisOne: reference === current,
        })),
      };
    }),
    personOperation(specs.endSession, async ({ param, req, res }) => {
      const ended = await endSession(deps, req, res, param('sessionRef'));
      if (ended === 'none') throw new HttpError(404, 'This session is over already.');
    }),
    personOperation(specs.endOtherSessions, async ({ res }) => ({
      ended: await endOtherSessions(deps, res),
    })),
  ];
}
