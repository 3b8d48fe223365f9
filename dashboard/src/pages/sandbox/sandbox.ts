import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import { useBusiness } from '../../shell/session-context.ts';

interface Sandbox {
  /** Orders that are still to come, one a minute. */
  readonly ordersDue: number;
  /** ISO 8601; null while calls come. */
  readonly endsAt: string | null;
}

/** Milliseconds between two polls while orders come. */
const pollMs = 15_000;

/** The state of the sandbox, reloaded while orders come. */
export function useSandbox(): UseQueryResult<Sandbox> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'sandbox'),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/businesses/{businessId}/sandbox', { params: { path: { businessId } }, signal })),
    refetchInterval: ({ state }) => (state.data !== undefined && state.data.ordersDue > 0 ? pollMs : false),
    refetchOnWindowFocus: true,
  });
}
