import { type SessionData, Store } from 'express-session';
import type { SessionContent } from '../sessions/session.ts';
import type { SessionStore } from '../sessions/session-store.ts';

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
export class ExpressStore extends Store {
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
