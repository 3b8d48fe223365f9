import type { Request, Response } from 'express';
import type { Sessions } from '../session.ts';
import { userAgentOf } from './user-agent.ts';

export interface Login {
  /** Who is logged in; absent while a second factor is awaited of `awaiting`. */
  readonly personId?: string;
  readonly awaiting?: string;
  readonly passwordSetAt: number;
}

/** Gives the browser a new session for a login, or for a person whose rights have changed. */
export function beginSession(sessions: Sessions, req: Request, res: Response, login: Login): Promise<void> {
  const { clientIp } = res.locals.caller;
  return sessions.renew(req, res, { ...login, clientIp, userAgent: userAgentOf(req) });
}

/** What a login needs has changed: the session of somebody who is logged in gets a new id, as at a login. */
export async function renewSession(sessions: Sessions, req: Request, res: Response): Promise<void> {
  const { data, personId } = res.locals.session;
  if (data === undefined || personId === undefined) throw new Error('nobody is logged in');
  await beginSession(sessions, req, res, { personId, passwordSetAt: data.passwordSetAt });
}
