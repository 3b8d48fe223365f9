import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { Actor, JsonObject } from '../../platform/actor.ts';
import {
  type BrowserSession,
  personOf,
  requirePerson,
  type Sessions,
} from '../../sessions/browser-session.ts';
import { type SessionSummary, sessionReference } from '../../sessions/session.ts';
import type { SessionStore } from '../../sessions/store.ts';
import { exactRouter } from '../../web/app.ts';
import { csrfField, type Html, html } from '../../web/html.ts';
import { fieldsOf } from '../../web/input.ts';
import { handle, momentHtml, type Page, type PageResponse } from '../../web/pages.ts';
import type { PersonStore } from '../store.ts';

const maxLength = 200;

/** What the browser calls itself, fit to be kept and shown. */
function userAgentOf(req: Request): string {
  return (req.headers['user-agent'] ?? '').replace(/\p{Cc}/gu, ' ').slice(0, maxLength);
}

const browsers = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(HeadlessChrome|Chrome|Chromium|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const;

const systems = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** Browser and system in two words; what it calls itself where we know neither. */
export function describeUserAgent(userAgent: string): string {
  const [browser] = browsers.find(([, pattern]) => pattern.test(userAgent)) ?? [];
  const [system] = systems.find(([, pattern]) => pattern.test(userAgent)) ?? [];
  if (browser === undefined && system === undefined) return userAgent || 'Unknown browser';
  return [browser ?? 'Unknown browser', system].filter(Boolean).join(' on ');
}

/** @param current reference of the session that asks */
function sessionsPage(session: BrowserSession, list: readonly SessionSummary[], current: string): Page {
  return {
    title: 'Sessions',
    body: html`<p>Where you are logged in. End any session you do not recognise, then change your password.</p>
<ul class="rows">${list.map((each) => sessionRow(session, each, each.reference === current))}</ul>
${
  list.length > 1 &&
  html`<form class="actions" method="post" action="/account/sessions/end-others">
  ${csrfField(session)}<button class="danger">End all others</button>
</form>`
}
<p class="below"><a href="/account">Back to your account</a></p>`,
  };
}

function sessionRow(session: BrowserSession, each: SessionSummary, isCurrent: boolean): Html {
  const browser = describeUserAgent(each.userAgent);
  return html`<li>
  <div>
    <p><strong>${browser}</strong> ${isCurrent && html`<span class="tag good">This one</span>`}</p>
    <p class="soft">${each.clientIp}</p>
    <p class="soft">Since ${momentHtml(each.createdAt)}</p>
    <p class="soft">Last used ${momentHtml(each.lastSeenAt)}</p>
  </div>
  <form method="post" action="/account/sessions/end">
    ${csrfField(session)}
    <input type="hidden" name="session" value="${each.reference}">
    <button class="second" aria-label="End the session of ${browser}">End</button>
  </form>
</li>`;
}

/** A person as the audit log wants it. */
export function personActor(res: Response, personId: string): Actor {
  const { clientIp, requestId } = res.locals;
  return { kind: 'person', id: personId, clientIp, requestId };
}

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

function audit({ people }: EndSessionDeps, res: Response, details: JsonObject): Promise<void> {
  const personId = personOf(res);
  const act = { actor: personActor(res, personId), action: 'person.session_ended', details };
  return people.inTransaction((transaction) => transaction.audit(personId, act));
}

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

async function showSessions({ sessionStore }: SessionRoutesDeps, res: Response): Promise<PageResponse> {
  const { session } = res.locals;
  const list = await sessionStore.list(personOf(res));
  return { page: sessionsPage(session, list, sessionReference(session.id)) };
}

async function endOne(deps: SessionRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const { session: reference } = fieldsOf(endForm, res.locals.form);
  const ended = await endSession(deps, req, res, reference);
  return { redirect: ended === 'this_one' ? '/login?after=logged-out' : '/account/sessions' };
}

async function endOthers(deps: SessionRoutesDeps, res: Response): Promise<PageResponse> {
  fieldsOf(endOthersForm, res.locals.form);
  await endOtherSessions(deps, res);
  return { redirect: '/account/sessions' };
}

interface Login {
  /** Who is logged in; absent while a second factor is awaited of `awaiting`. */
  readonly personId?: string;
  readonly awaiting?: string;
  readonly passwordSetAt: number;
}

/** Gives the browser a new session for a login, or for a person whose rights have changed. */
export function beginSession(sessions: Sessions, req: Request, res: Response, login: Login): Promise<void> {
  const { clientIp } = res.locals;
  return sessions.renew(req, res, { ...login, clientIp, userAgent: userAgentOf(req) });
}

/** What a login needs has changed: the session of somebody who is logged in gets a new id, as at a login. */
export async function renewSession(sessions: Sessions, req: Request, res: Response): Promise<void> {
  const { data, personId } = res.locals.session;
  if (data === undefined || personId === undefined) throw new Error('nobody is logged in');
  await beginSession(sessions, req, res, { personId, passwordSetAt: data.passwordSetAt });
}
