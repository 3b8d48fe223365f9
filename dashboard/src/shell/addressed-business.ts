import { useEffect } from 'react';
import { useLocation } from 'wouter';
import type { OwnBusiness } from '../api/session.ts';
import { lastBusinessId, rememberBusiness } from './last-business.ts';
import { useSession } from './session-context.ts';

/** The business that the address names, and the one that the navigation leads into: where there is none, the last one. */
export function useAddressedBusiness(): {
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
  return { business, navigationBusiness: business ?? lastUsed(businesses) };
}

/** The business that was shown last in this browser, else the first. */
export function lastUsed(businesses: readonly OwnBusiness[]): OwnBusiness | undefined {
  const last = lastBusinessId();
  return businesses.find(({ id }) => id === last) ?? businesses[0];
}
