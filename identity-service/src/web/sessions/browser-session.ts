import { createHmac, timingSafeEqual } from 'node:crypto';
import { HttpError } from '@platform/service-kit/http/errors.ts';
import type { Request, RequestHandler, Response } from 'express';
import expressSession, { type SessionData, Store } from 'express-session';
import type { Actor } from '../../platform/actor.ts';
import { cookieName } from './cookie-name.ts';
import { createKnownDevices, type DeviceAccount } from './known-device.ts';
import { newSessionId, type SessionContent } from './session.ts';
import type { SessionStore } from './store.ts';

declare module 'express-session' {
  interface SessionData {
    /** Absent for a visitor, whose session is only a cookie. */
    content?: SessionContent;
    /** Marks a visitor's session as changed, so that its cookie is sent. */
    anonymous?: true;
    /** Read from the database: not to be inserted again. */
    stored?: true;
  }
}

type Callback<T> = (error: unknown, value?: T) => void;

/**
 * Adapts `SessionStore` to express-session. A visitor has a signed id and no row: reading an id without a row gives an
 * empty session under that id, and saving one without content stores nothing.
 */
class ExpressStore extends Store {
  readonly #sessions: SessionStore;

  constructor(sessions: SessionStore) {
    super();
    this.#sessions = sessions;
  }

  override get(id: string, callback: Callback<SessionData>): void {
    this.#sessions.find(id).then((content) => callback(undefined, sessionData(content)), callback);
  }

  /** Inserts only: a changed session gets a new id, so a session that has ended cannot come back. */
  override set(id: string, { content, stored }: SessionData, callback: Callback<never> = () => {}): void {
    if (content === undefined || stored) {
      callback(undefined);
      return;
    }
    this.#sessions.insert(id, content).then(() => callback(undefined), callback);
  }

  override destroy(id: string, callback: Callback<never> = () => {}): void {
    this.#sessions.remove(id).then(() => callback(undefined), callback);
  }
}

function sessionData(content: SessionContent | undefined): SessionData {
  const cookie = { originalMaxAge: null };
  return content === undefined ? { cookie, anonymous: true } : { cookie, content, stored: true };
}

/**
 * CSRF tokens of a session: an HMAC of its id, one per secret, current first. Stateless, so that forms of visitors are
 * protected too.
 */
function csrfTokens(secrets: readonly [string, ...string[]], sessionId: string): [string, ...string[]] {
  const token = (secret: string) =>
    createHmac('sha256', secret).update(`csrf:${sessionId}`).digest('base64url');
  const [current, ...retired] = secrets;
  return [token(current), ...retired.map(token)];
}

/** Requires the CSRF token of the session in the field `_csrf` of every POST. @throws HttpError 403 */
export const checkCsrf: RequestHandler = (req, res, next) => {
  if (req.method !== 'POST') return next();
  if (isCsrfToken(res.locals.session, res.locals.form.get('_csrf') ?? '')) return next();
  next(new HttpError(403, 'This form is out of date. Go back, reload the page and send it again.'));
};

/** True for a CSRF token of the session, under the current or a retired secret. */
export function isCsrfToken({ csrfTokens }: Pick<BrowserSession, 'csrfTokens'>, candidate: string): boolean {
  return csrfTokens.some((token) => isEqual(Buffer.from(candidate), Buffer.from(token)));
}

/** Compares in constant time; the length is not secret. */
function isEqual(candidate: Buffer, token: Buffer): boolean {
  return candidate.length === token.length && timingSafeEqual(candidate, token);
}

/** Session of a request, on `res.locals.session`. */
export interface BrowserSession {
  /** Changes at login and when the person's password or second factor changes. */
  readonly id: string;
  /** The person; absent until login is complete. */
  readonly personId?: string | undefined;
  /** For the field `_csrf` of every form; bound to `id`. */
  readonly csrfToken: string;
  /** Tokens that `checkCsrf` accepts. */
  readonly csrfTokens: readonly string[];
  /** Absent for visitors. */
  readonly data?: SessionContent | undefined;
}

/** Browser sessions, identified by a signed cookie. */
export interface Sessions {
  /** Sets `res.locals.session`. Visitors get a session without a row in the database. */
  readonly middleware: readonly RequestHandler[];
  /** Ends the request's session and begins one with a new id. Resolves when it is stored. */
  renew(req: Request, res: Response, content: SessionContent): Promise<void>;
  /** Ends the request's session and clears the cookie. */
  end(req: Request, res: Response): Promise<void>;
  /** Id of a browser that logged in to the account before, with its current password; undefined for any other. */
  recognizeDevice(req: Request, account: DeviceAccount): string | undefined;
  /** Makes the browser a known one of the account, as `renew` does when a login is complete. */
  rememberDevice(req: Request, res: Response, account: DeviceAccount): void;
}

interface SessionsOptions {
  readonly store: SessionStore;
  /** Current first, then retired ones that are still accepted. */
  readonly secrets: readonly [string, ...string[]];
  /** Under https cookies are Secure; names them (`cookieName`). */
  readonly publicUrl: string;
}

/** Life of the cookie of a known browser, from its last login. */
const deviceMaxAgeMs = 180 * 24 * 60 * 60 * 1000;

/** Sessions with express-session over `store`. */
export function createSessions({ store, secrets, publicUrl }: SessionsOptions): Sessions {
  const secure = publicUrl.startsWith('https:');
  const name = cookieName('session', publicUrl);
  const cookie = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  const devices = createKnownDevices(secrets, publicUrl);
  const rememberDevice: Sessions['rememberDevice'] = (req, res, account) =>
    void res.cookie(devices.cookie, devices.remember(req.headers.cookie, account), {
      ...cookie,
      maxAge: deviceMaxAgeMs,
    });
  const attach = (req: Request, res: Response) => {
    const { content } = req.session;
    if (content === undefined) req.session.anonymous = true;
    const tokens = csrfTokens(secrets, req.session.id);
    const { id } = req.session;
    const { personId } = content ?? {};
    res.locals.session = { id, personId, data: content, csrfToken: tokens[0], csrfTokens: tokens };
  };
  return {
    middleware: [
      // The public URL decides whether the cookie is Secure: the gateway forwards without TLS.
      (req, _res, next) => {
        req.headers['x-forwarded-proto'] = secure ? 'https' : 'http';
        next();
      },
      expressSession({
        name,
        cookie,
        secret: [...secrets],
        genid: newSessionId,
        store: new ExpressStore(store),
        proxy: true,
        resave: false,
        saveUninitialized: false,
      }),
      (req, res, next) => {
        attach(req, res);
        next();
      },
    ],
    renew: async (req, res, content) => {
      await promisify((done) => req.session.regenerate(done));
      req.session.content = content;
      // Saved before the response, or the browser's next request could come first.
      await promisify((done) => req.session.save(done));
      // express-session saves again at the end of the response: it does not track changes after regenerate().
      req.session.stored = true;
      attach(req, res);
      const { personId, passwordSetAt } = content;
      if (personId !== undefined) rememberDevice(req, res, { personId, passwordSetAt });
    },
    end: async (req, res) => {
      await promisify((done) => req.session.destroy(done));
      res.clearCookie(name, cookie);
    },
    recognizeDevice: (req, account) => devices.recognize(req.headers.cookie, account),
    rememberDevice,
  };
}

function promisify(start: (done: (error?: unknown) => void) => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error ? reject(error) : resolve()));
  });
}

/** Requires a logged-in person; redirects others to the login, and a GET back to its path afterwards. */
export const requirePerson: RequestHandler = (req, res, next) => {
  if (res.locals.session.personId !== undefined) return next();
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  res.redirect(303, isRead ? `/login?continue=${encodeURIComponent(req.originalUrl)}` : '/login');
};

/** The logged-in person, after `requirePerson`. */
export function personOf(res: Response): string {
  const { personId } = res.locals.session;
  if (personId === undefined) throw new Error('the route lacks requirePerson');
  return personId;
}

/** Path after login when none is requested. */
export const defaultReturnTo = '/dashboard';

/**
 * Maximum length of a path to return to after login, as a parameter. With the other headers of a browser, the head of the
 * request stays below the gateway's limit of 16 kB.
 */
const maxLength = 12_288;

/** Whether a path is short enough to come back after a login. */
export function fitsReturn(path: string): boolean {
  return String(new URLSearchParams({ continue: path })).length <= maxLength;
}

/** Characters that are refused in paths: browsers drop tabs and line breaks in URLs and treat `\` as `/`. */
const unsafeCharacters = /[\\\s\p{Cc}]/u;

const base = 'http://origin.invalid';

/**
 * Validates the path to return to after login: a path of this origin with its query, else the dashboard. Rejects
 * anything that a browser could read as another origin: scheme, `//`, backslash, also after resolving dot segments.
 */
export function parseReturnTo(value: string | undefined): string {
  if (value === undefined || !fitsReturn(value)) return defaultReturnTo;
  if (!value.startsWith('/') || unsafeCharacters.test(value) || !URL.canParse(value, base))
    return defaultReturnTo;
  const { origin, pathname, search } = new URL(value, base);
  if (origin !== base || pathname.startsWith('//')) return defaultReturnTo;
  return pathname + search;
}

/** Adds `returnTo` to a path as its `continue` parameter. @param path may have a query */
export function withReturnTo(path: string, returnTo: string): string {
  if (returnTo === defaultReturnTo) return path;
  return `${path}${path.includes('?') ? '&' : '?'}continue=${encodeURIComponent(returnTo)}`;
}

/** Actor of an audit event, for the person of a request. */
export function personActor(res: Response, personId: string): Actor {
  const { clientIp, requestId } = res.locals;
  return { kind: 'person', id: personId, clientIp, requestId };
}
