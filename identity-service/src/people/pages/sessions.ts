import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { JsonObject } from '../../platform/actor.ts';
import { exactRouter } from '../../web/app.ts';
import { csrfField, type Html, html } from '../../web/html.ts';
import { fieldsOf } from '../../web/input.ts';
import { handle, momentHtml, type Page, type PageResponse } from '../../web/pages.ts';
import {
  type BrowserSession,
  personActor,
  personOf,
  requirePerson,
  type Sessions,
} from '../../web/sessions/browser-session.ts';
import type { DeviceAccount } from '../../web/sessions/known-device.ts';
import { type SessionSummary, sessionReference } from '../../web/sessions/session.ts';
import type { SessionStore } from '../../web/sessions/store.ts';
import { describeUserAgent } from '../../web/sessions/user-agent.ts';
import type { PersonStore } from '../store.ts';

const maxLength = 200;

/** User-Agent without control characters, at most 200 characters. */
function userAgentOf(req: Request): string {
  return (req.headers['user-agent'] ?? '').replace(/\p{Cc}/gu, ' ').slice(0, maxLength);
}

/** @param current reference of the session of this request */
function sessionsPage(session: BrowserSession, list: readonly SessionSummary[], current: string): Page {
  return {
    title: 'Sessions',
    body: html`<p>Browsers that are logged in to your account. If you do not recognize one, end it and change your password.</p>
<ul class="rows">${list.map((summary) => sessionRow(session, summary, summary.reference === current))}</ul>
${
  list.length > 1 &&
  html`<form class="actions" method="post" action="/account/sessions/end-others">
  ${csrfField(session)}<button class="danger">End all other sessions</button>
</form>`
}
<p class="below"><a href="/dashboard/profile">Back to your account</a></p>`,
  };
}

function sessionRow(session: BrowserSession, summary: SessionSummary, isCurrent: boolean): Html {
  const browser = describeUserAgent(summary.userAgent);
  return html`<li>
  <div>
    <p><strong>${browser}</strong> ${isCurrent && html`<span class="tag good">This session</span>`}</p>
    <p class="soft">${summary.clientIp}</p>
    <p class="soft">Since ${momentHtml(summary.createdAt)}</p>
    <p class="soft">Last used ${momentHtml(summary.lastSeenAt)}</p>
  </div>
  <form method="post" action="/account/sessions/end">
    ${csrfField(session)}
    <input type="hidden" name="session" value="${summary.reference}">
    <button class="second" aria-label="End the session in ${browser}">End</button>
  </form>
</li>`;
}

/** Browser and system of a request, when it has not logged in to the account with its current password. */
export function newBrowserOf(
  sessions: Pick<Sessions, 'recognizeDevice'>,
  req: Request,
  account: DeviceAccount,
): string | undefined {
  const isKnown = sessions.recognizeDevice(req, account) !== undefined;
  return isKnown ? undefined : describeUserAgent(userAgentOf(req));
}

export interface EndSessionDeps {
  readonly people: PersonStore;
  readonly sessions: Sessions;
  readonly sessionStore: SessionStore;
}

/** Ends one of the person's sessions. `this_one`: the current one, whose cookie is cleared as well. */
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

/** Ends all of the person's sessions but the current one. Resolves to their number. */
export async function endOtherSessions(deps: EndSessionDeps, res: Response): Promise<number> {
  const count = await deps.sessionStore.removeOthers(personOf(res), res.locals.session.id);
  if (count > 0) await audit(deps, res, { count });
  return count;
}

function audit({ people }: EndSessionDeps, res: Response, details: JsonObject): Promise<void> {
  const personId = personOf(res);
  const act = { actor: personActor(res, personId), action: 'person.session_ended', details };
  return people.inTransaction((transaction) => transaction.audit(personId, act));
}

const endForm = z.strictObject({ session: z.string().regex(/^[0-9a-f]{64}$/) });

const endOthersForm = z.strictObject({});

/** Pages to list sessions and to end them. */
export function sessionRoutes(deps: EndSessionDeps): Router {
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

async function showSessions({ sessionStore }: EndSessionDeps, res: Response): Promise<PageResponse> {
  const { session } = res.locals;
  const list = await sessionStore.list(personOf(res));
  return { page: sessionsPage(session, list, sessionReference(session.id)) };
}

async function endOne(deps: EndSessionDeps, req: Request, res: Response): Promise<PageResponse> {
  const { session: reference } = fieldsOf(endForm, res.locals.form);
  const ended = await endSession(deps, req, res, reference);
  return { redirect: ended === 'this_one' ? '/login?after=logged-out' : '/account/sessions' };
}

async function endOthers(deps: EndSessionDeps, res: Response): Promise<PageResponse> {
  fieldsOf(endOthersForm, res.locals.form);
  await endOtherSessions(deps, res);
  return { redirect: '/account/sessions' };
}

interface Login {
  /** The person; absent while the second factor of the person `awaiting` is missing. */
  readonly personId?: string;
  readonly awaiting?: string;
  readonly passwordSetAt: number;
  /** The login was complete without a second factor. */
  readonly passwordOnly?: boolean | undefined;
  /** The passkey that it began with. */
  readonly passkeyId?: string | undefined;
}

/** Starts a new session with a new id: after a login, or after a change of how the person logs in. */
export function beginSession(sessions: Sessions, req: Request, res: Response, login: Login): Promise<void> {
  const { clientIp } = res.locals;
  return sessions.renew(req, res, { ...login, clientIp, userAgent: userAgentOf(req) });
}

/** The login data of a session after its person has set a new password. The second factor keeps its state. */
export function afterNewPassword({ data }: BrowserSession, personId: string, passwordSetAt: number): Login {
  return { personId, passwordSetAt, passwordOnly: data?.passwordOnly, passkeyId: data?.passkeyId };
}

/**
 * Renews the id of the current session, after the factors of a login have changed.
 * @param shown `factor_shown`: the person has just shown the second factor, so the session no longer depends on its passkey
 */
export async function renewSession(
  sessions: Sessions,
  req: Request,
  res: Response,
  shown: 'factor_shown' | 'same_factors',
): Promise<void> {
  const { data, personId } = res.locals.session;
  if (data === undefined || personId === undefined) throw new Error('the session has no person');
  const { passwordSetAt } = data;
  const login =
    shown === 'factor_shown'
      ? { personId, passwordSetAt }
      : afterNewPassword(res.locals.session, personId, passwordSetAt);
  await beginSession(sessions, req, res, login);
}
