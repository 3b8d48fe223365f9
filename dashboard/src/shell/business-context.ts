import { createContext, useContext } from 'react';
import type { OwnBusiness } from '../api/session.ts';

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
