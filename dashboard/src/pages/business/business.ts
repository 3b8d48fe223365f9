import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey, sessionKey } from '../../api/queries.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';

type Schemas = components['schemas'];

export type BusinessRecord = Schemas['BusinessRecord'];

export type Verification = Schemas['Verification'];

export type Freeze = Schemas['Freeze'];

type RecentCalls = Schemas['RecentCalls'];

/** The business as it is registered; without record and verification while those cannot be read. */
export function useBusinessRecord(): UseQueryResult<Schemas['Business']> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'record'),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/businesses/{businessId}', { params: { path: { businessId } }, signal })),
    refetchOnWindowFocus: true,
  });
}

/** Whether requests are let in; null while they are. */
export function useFreeze(): UseQueryResult<Freeze | null> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'freeze'),
    queryFn: async ({ signal }) => {
      const params = { path: { businessId } };
      return (await unwrap(api.GET('/businesses/{businessId}/freeze', { params, signal }))).freeze;
    },
    refetchOnWindowFocus: true,
  });
}

/** How many requests came lately. Always asked anew: a decision hangs on it. */
export function useRecentCalls(enabled: boolean): UseQueryResult<RecentCalls> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'recent-calls'),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/businesses/{businessId}/recent-calls', { params: { path: { businessId } }, signal })),
    staleTime: 0,
    enabled,
  });
}

/** Looks the business up again, after a change that every page shows. */
export function useRefreshBusiness(): () => Promise<unknown> {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: sessionKey }),
      client.invalidateQueries({ queryKey: businessKey(businessId) }),
    ]);
}

/** Two letters that stand for no country, and yet have a name. */
const nonCountryCodes = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '));

const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** A country by its code (ISO 3166-1 alpha-2); the code itself where it is not known. */
export function countryName(code: string): string {
  return names.of(code) ?? code;
}

/** Every country that the browser knows, by name. */
export function allCountries(): { readonly value: string; readonly label: string }[] {
  const codes = alphabet.flatMap((first) => alphabet.map((second) => first + second));
  return codes
    .filter((code) => !nonCountryCodes.has(code) && names.of(code) !== undefined && isCurrentCode(code))
    .map((code) => ({ value: code, label: countryName(code) }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'));
}

/** Not the code of a country that goes by another one now, as DD. */
function isCurrentCode(code: string): boolean {
  return new Intl.Locale(`und-${code}`).region === code;
}
