import { createContext, useContext } from 'react';
import type { Session } from '../api/session.ts';

export const SessionContext = createContext<Session | undefined>(undefined);

/** Who is logged in, and their businesses. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('a page without a session');
  return session;
}
