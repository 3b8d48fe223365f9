import type { Request, RequestHandler, Response } from 'express';
import expressSession from 'express-session';
import type { SessionContent } from '../sessions/session.ts';
import { newSessionId } from '../sessions/session-id.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { csrfTokens } from './csrf.ts';
import { ExpressStore } from './express-store.ts';

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

export interface SessionsOptions {
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
