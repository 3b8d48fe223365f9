import { createHmac, timingSafeEqual } from 'node:crypto';
import { HttpError } from '@platform/service-kit/http/errors.ts';
import type { Request, RequestHandler, Response } from 'express';
import expressSession, { type SessionData, Store } from 'express-session';
import { newSessionId, type SessionContent } from './session.ts';
import type { SessionStore } from './store.ts';

declare module 'express-session' {
  interface SessionData {
    /** Absent for a session that is nothing but its cookie. */
    content?: SessionContent;
    /** Marks such a session, so that its cookie is sent. */
    anonymous?: true;
    /** Read from the database, hence not to be added again. */
    stored?: true;
  }
}

type Callback<T> = (error: unknown, value?: T) => void;

/**
 * Our sessions as express-session wants them. Somebody who is not logged in has a signed id and no row: reading an id
 * without a row gives an empty session under that id, and saving one without content stores nothing.
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

  /** Content never changes: what changes gets a new id. So a session that has been ended cannot come back either. */
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
 * CSRF tokens of a session: an HMAC of its id, which only we can make and which no other session has. No state, so that
 * the forms of visitors are protected too. One per secret, current first.
 */
function csrfTokens(secrets: readonly [string, ...string[]], sessionId: string): [string, ...string[]] {
  const token = (secret: string) =>
    createHmac('sha256', secret).update(`csrf:${sessionId}`).digest('base64url');
  const [current, ...retired] = secrets;
  return [token(current), ...retired.map(token)];
}

/** Every POST to a page must carry the token of its own session in the field `_csrf`. @throws HttpError 403 */
export const checkCsrf: RequestHandler = (req, res, next) => {
  if (req.method !== 'POST') return next();
  if (isCsrfToken(res.locals.session, res.locals.form.get('_csrf') ?? '')) return next();
  next(new HttpError(403, 'This form is out of date. Go back, reload the page and send it again.'));
};

/** Whether a token is one of the session's, current or retired. */
export function isCsrfToken({ csrfTokens }: Pick<BrowserSession, 'csrfTokens'>, shown: string): boolean {
  return csrfTokens.some((token) => isEqual(Buffer.from(shown), Buffer.from(token)));
}

/** The length is no secret. */
function isEqual(shown: Buffer, token: Buffer): boolean {
  return shown.length === token.length && timingSafeEqual(shown, token);
}

/** The session of a request, on `res.locals.session`. */
export interface BrowserSession {
  /** Changes at login and whenever somebody's rights change. */
  readonly id: string;
  /** Who is logged in. */
  readonly personId?: string | undefined;
  /** For the field `_csrf` of every form; bound to `id`. */
  readonly csrfToken: string;
  /** Tokens that `checkCsrf` accepts. */
  readonly csrfTokens: readonly string[];
  /** Absent for visitors. */
  readonly data?: SessionContent | undefined;
}

/** Sessions of browsers, by a signed cookie. */
export interface Sessions {
  /** Puts the session on `res.locals.session`. Visitors get one without a row in the database. */
  readonly middleware: readonly RequestHandler[];
  /** Ends the request's session and begins one with a new id. Resolves when it is stored. */
  renew(req: Request, res: Response, content: SessionContent): Promise<void>;
  /** Ends the request's session and takes the cookie back. */
  end(req: Request, res: Response): Promise<void>;
}

interface SessionsOptions {
  readonly store: SessionStore;
  /** Current first, then the retired ones that are still accepted. */
  readonly secrets: readonly [string, ...string[]];
  /** Under https the cookie is Secure and bound to this very host (`__Host-`). */
  readonly publicUrl: string;
}

export function createSessions({ store, secrets, publicUrl }: SessionsOptions): Sessions {
  const secure = publicUrl.startsWith('https:');
  const name = secure ? '__Host-session' : 'session';
  const cookie = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
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
      // The public address decides what is secure; between the gateway and here there is no TLS to see.
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
      await settled((done) => req.session.regenerate(done));
      req.session.content = content;
      // Otherwise it is stored while the answer is on its way, and the browser's next request may come first.
      await settled((done) => req.session.save(done));
      // express-session saves it once more at the end of the answer: it does not see what happens after regenerate().
      req.session.stored = true;
      attach(req, res);
    },
    end: async (req, res) => {
      await settled((done) => req.session.destroy(done));
      res.clearCookie(name, cookie);
    },
  };
}

function settled(start: (done: (error?: unknown) => void) => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error ? reject(error) : resolve()));
  });
}

/** Lets logged-in people pass; others log in first and come back to where a GET was going. */
export const requirePerson: RequestHandler = (req, res, next) => {
  if (res.locals.session.personId !== undefined) return next();
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  res.redirect(303, isRead ? `/login?continue=${encodeURIComponent(req.originalUrl)}` : '/login');
};

/** Who is logged in, behind `requirePerson`. */
export function personOf(res: Response): string {
  const { personId } = res.locals.session;
  if (personId === undefined) throw new Error('a page for people only, without requirePerson');
  return personId;
}

/** Where a login leads without a wish. */
export const defaultPath = '/dashboard';

const maxLength = 4_096;

/** Browsers drop tabs and line ends inside addresses and read `\` as `/`; other controls and blanks have no place there. */
const treacherous = /[\\\s\p{Cc}]/u;

const base = 'http://origin.invalid';

/**
 * Where to go after login: a path of this origin with its query, else the dashboard. Nothing that a browser could read as
 * another origin: no scheme, no `//`, no backslash, also not after dot segments are resolved.
 */
export function continuePath(wish: string | undefined): string {
  if (wish === undefined || wish.length > maxLength) return defaultPath;
  if (!wish.startsWith('/') || treacherous.test(wish) || !URL.canParse(wish, base)) return defaultPath;
  const { origin, pathname, search } = new URL(wish, base);
  if (origin !== base || pathname.startsWith('//')) return defaultPath;
  return pathname + search;
}

/** An address of ours that leads on to `continueTo`. @param path may have a query */
export function withContinue(path: string, continueTo: string): string {
  if (continueTo === defaultPath) return path;
  return `${path}${path.includes('?') ? '&' : '?'}continue=${encodeURIComponent(continueTo)}`;
}
