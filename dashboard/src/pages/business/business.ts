import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey, sessionKey } from '../../api/queries.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';

type Schemas = components['schemas'];

export type BusinessRecord = Schemas['BusinessRecord'];

export type Verification = Schemas['Verification'];

export type Freeze = Schemas['Freeze'];

/** Record and verification of the business; both null while business-service is unavailable, unless they were loaded before. */
export function useBusinessRecord(): UseQueryResult<Schemas['Business']> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'record'),
    queryFn: async ({ signal, client, queryKey }) => {
      const params = { path: { businessId } };
      const loaded = await unwrap(api.GET('/businesses/{businessId}', { params, signal }));
      // Keeps loaded data. Otherwise the page would show an outage and lose the form that the person is filling in.
      const before = loaded.record === null && client.getQueryData<Schemas['Business']>(queryKey);
      return before || loaded;
    },
    refetchOnWindowFocus: true,
  });
}

/** The freeze of API access; null without one. */
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

/** Reloads session and business, after a change that every page shows. */
export function useRefreshBusiness(): () => Promise<unknown> {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: sessionKey }),
      client.invalidateQueries({ queryKey: businessKey(businessId) }),
    ]);
}

/** Region codes with a name that are not countries. */
const nonCountryCodes = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '));

const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Name of a country by its ISO 3166-1 alpha-2 code; the code itself when unknown. */
export function countryName(code: string): string {
  return names.of(code) ?? code;
}

/** All countries known to the browser, sorted by name. */
export function allCountries(): { readonly value: string; readonly label: string }[] {
  const codes = alphabet.flatMap((first) => alphabet.map((second) => first + second));
  return codes
    .filter((code) => !nonCountryCodes.has(code) && names.of(code) !== undefined && isCurrentCode(code))
    .map((code) => ({ value: code, label: countryName(code) }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'));
}

/** False for codes that were replaced, such as DD. */
function isCurrentCode(code: string): boolean {
  return new Intl.Locale(`und-${code}`).region === code;
}
