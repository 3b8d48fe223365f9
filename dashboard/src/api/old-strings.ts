import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { components } from '../generated/dashboard-api.d.ts';
import { useBusiness } from '../shell/session-context.ts';
import { api, unwrap } from './client.ts';
import { businessKey } from './queries.ts';

/** A key string, or the tokens of a connection, that no longer work and with which calls still came. */
export type OldString = components['schemas']['OldString'];

/** Milliseconds between polls: calls of the last seconds appear with the next. */
const pollIntervalMs = 10_000;

/** Old strings of the business with which calls came, the last call first. @param everyMs milliseconds between polls */
export function useOldStrings({
  enabled = true,
  everyMs = pollIntervalMs,
} = {}): UseQueryResult<readonly OldString[]> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'old-strings'),
    queryFn: async ({ signal }) => {
      const params = { path: { businessId } };
      return (await unwrap(api.GET('/businesses/{businessId}/old-strings', { params, signal }))).oldStrings;
    },
    staleTime: 0,
    enabled,
    refetchOnWindowFocus: true,
    refetchInterval: everyMs,
  });
}
