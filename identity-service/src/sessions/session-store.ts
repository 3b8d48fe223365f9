import type { SessionContent, SessionSummary } from './session.ts';

/** Where sessions are kept. Ids are hashed at rest. All limits are on the database's clock. */
export interface SessionStore {
  /** The session, if it lives: within its limits, and its person's password unchanged. Notes the use now and then. */
  find(id: string): Promise<SessionContent | undefined>;
  insert(id: string, content: SessionContent): Promise<void>;
  /** Ends one; nothing happens when there is none. */
  remove(id: string): Promise<void>;
  /** Living sessions of a person, latest use first. */
  list(personId: string): Promise<SessionSummary[]>;
  /** Ends one of a person's sessions. Whether there was one. */
  removeOne(personId: string, reference: string): Promise<boolean>;
  /** Ends all of a person's sessions but one. Resolves to how many. */
  removeOthers(personId: string, keptId: string): Promise<number>;
}
