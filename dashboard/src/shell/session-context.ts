import { createContext, useContext, useEffect } from 'react';
import { useLocation } from 'wouter';
import { getCsrfToken, suppressLoginRedirect } from '../api/client.ts';
import type { OwnBusiness, Session } from '../api/session.ts';

export const SessionContext = createContext<Session | undefined>(undefined);

/** The logged-in person and their businesses. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession outside of SessionGate');
  return session;
}

/** The current business; undefined on pages of the person. */
export const BusinessContext = createContext<OwnBusiness | undefined>(undefined);

export const useCurrentBusiness = (): OwnBusiness | undefined => useContext(BusinessContext);

/** The current business, for pages of a business. */
export function useBusiness(): OwnBusiness {
  const business = useContext(BusinessContext);
  if (business === undefined) throw new Error('useBusiness outside of a page of a business');
  return business;
}

/** Whether the person may change anything of the current business: viewers may not. */
export const useMayChange = (): boolean => useBusiness().role !== 'viewer';

/** Whether a business requires a second factor that the person lacks, so that all of its operations are refused. */
export const lacksSecondFactor = ({ person }: Session, { requiresSecondFactor }: OwnBusiness): boolean =>
  requiresSecondFactor && !person.secondFactor;

const storageKey = 'last-business';

function lastBusinessId(): string | undefined {
  try {
    return localStorage.getItem(storageKey) ?? undefined;
  } catch {
    // Storage may be blocked.
    return undefined;
  }
}

function rememberBusiness(id: string): void {
  try {
    localStorage.setItem(storageKey, id);
  } catch {
    // As above: every visit then starts with the first business.
  }
}

/** The business in the path, and that of the navigation, which is the last used one if the path has none. */
export function useBusinessFromPath(): {
  readonly business: OwnBusiness | undefined;
  readonly navigationBusiness: OwnBusiness | undefined;
} {
  const { businesses } = useSession();
  const [path] = useLocation();
  const segment = path.split('/')[1];
  const business = businesses.find(({ id }) => id === segment);
  const id = business?.id;
  useEffect(() => {
    if (id !== undefined) rememberBusiness(id);
  }, [id]);
  return { business, navigationBusiness: business ?? lastUsedBusiness(businesses) };
}

/** The business last used in this browser, else the first. */
export function lastUsedBusiness(businesses: readonly OwnBusiness[]): OwnBusiness | undefined {
  const last = lastBusinessId();
  return businesses.find(({ id }) => id === last) ?? businesses[0];
}

/** Logs out by a form post. @param returnTo path to return to after the next login */
export function logOut(returnTo?: string): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = '/logout';
  form.hidden = true;
  const fields = { _csrf: getCsrfToken(), ...(returnTo !== undefined && { continue: returnTo }) };
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    input.type = 'hidden';
    Object.assign(input, { name, value });
    form.append(input);
  }
  suppressLoginRedirect();
  document.body.append(form);
  form.submit();
}
