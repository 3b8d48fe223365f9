import { createContext, useContext, useEffect } from 'react';
import { useLocation } from 'wouter';
import { getCsrfToken, suppressLoginRedirect } from '../api/client.ts';
import type { OwnBusiness, Session } from '../api/session.ts';

export const SessionContext = createContext<Session | undefined>(undefined);

/** Who is logged in, and their businesses. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('a page without a session');
  return session;
}

/** The business whose pages are shown; undefined on the pages of the person. */
export const BusinessContext = createContext<OwnBusiness | undefined>(undefined);

/** The business whose pages are shown, where there is one. */
export const useCurrentBusiness = (): OwnBusiness | undefined => useContext(BusinessContext);

/** The business that the page is about. Only for pages under a business. */
export function useBusiness(): OwnBusiness {
  const business = useContext(BusinessContext);
  if (business === undefined) throw new Error('a page of a business outside of a business');
  return business;
}

const storageKey = 'last-business';

/** Id of the business that was shown last in this browser. */
function lastBusinessId(): string | undefined {
  try {
    return localStorage.getItem(storageKey) ?? undefined;
  } catch {
    // Storage may be forbidden.
    return undefined;
  }
}

function rememberBusiness(id: string): void {
  try {
    localStorage.setItem(storageKey, id);
  } catch {
    // As above: then every visit begins at the first business.
  }
}

/** The business that the address names, and the one that the navigation leads into: where there is none, the last one. */
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

/** The business that was shown last in this browser, else the first. */
export function lastUsedBusiness(businesses: readonly OwnBusiness[]): OwnBusiness | undefined {
  const last = lastBusinessId();
  return businesses.find(({ id }) => id === last) ?? businesses[0];
}

/** Leaves by the form of the server's pages. @param returnTo where the next login leads, for who goes on as somebody else */
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
