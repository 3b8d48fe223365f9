import {
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey, usePages } from '../../api/queries.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';

type Schemas = components['schemas'];

/** A registered application; "app" in page texts. */
export type Application = Schemas['Application'];

export type ClientSecret = Schemas['ClientSecret'];

export type Connection = Schemas['Connection'];

export type AddressUse = Schemas['AddressUse'];

/** Something that goes wrong with an app. */
export type Problem = Schemas['ApplicationProblem'];

/** A step before an app goes live. */
export type GoLiveStep = Schemas['GoLiveStep'];

export type RegistrationObstacle = Schemas['RegistrationObstacle'];

export interface Applications {
  readonly applications: readonly Application[];
  /** Apps a business may have. */
  readonly limit: number;
  /** Why no further app can be registered; null when one can. */
  readonly obstacle: RegistrationObstacle | null;
}

/** All apps of the business. */
export function useApplications(): UseQueryResult<Applications> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'applications'),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/businesses/{businessId}/applications', { params: { path: { businessId } }, signal })),
    refetchOnWindowFocus: true,
  });
}

/** One app. */
export function useApplication(applicationId: string): UseQueryResult<Application> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'applications', applicationId),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/businesses/{businessId}/applications/{applicationId}', {
          params: { path: { businessId, applicationId } },
          signal,
        }),
      ),
    refetchOnWindowFocus: true,
  });
}

/** Businesses connected to an app, paginated. */
export function useConnections(applicationId: string): UseInfiniteQueryResult<readonly Connection[]> {
  const { id: businessId } = useBusiness();
  return usePages(
    businessKey(businessId, 'applications', applicationId, 'connections'),
    (query, signal) =>
      unwrap(
        api.GET('/businesses/{businessId}/applications/{applicationId}/connections', {
          params: { path: { businessId, applicationId }, query },
          signal,
        }),
      ),
    ({ connections }) => connections,
  );
}

/** Addresses an app sent requests from in the last 7 days. */
export function useRecentAddresses(applicationId: string): UseQueryResult<{
  readonly since: string;
  readonly callers: readonly AddressUse[];
}> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'applications', applicationId, 'callers'),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/businesses/{businessId}/applications/{applicationId}/callers', {
          params: { path: { businessId, applicationId } },
          signal,
        }),
      ),
  });
}

/** Problems of an app in the last 7 days. */
export function useProblems(
  applicationId: string,
): UseQueryResult<{ readonly problems: readonly Problem[] }> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'applications', applicationId, 'problems'),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/businesses/{businessId}/applications/{applicationId}/problems', {
          params: { path: { businessId, applicationId } },
          signal,
        }),
      ),
    refetchOnWindowFocus: true,
  });
}

/** Steps before an app goes live. */
export function useGoLiveSteps(
  applicationId: string,
): UseQueryResult<{ readonly steps: readonly GoLiveStep[] }> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'applications', applicationId, 'go-live'),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/businesses/{businessId}/applications/{applicationId}/go-live', {
          params: { path: { businessId, applicationId } },
          signal,
        }),
      ),
    refetchOnWindowFocus: true,
  });
}

/** Updates cached apps after a change. */
export function useApplicationCache(applicationId?: string): {
  /** Stores the changed app and reloads the list. */
  readonly store: (application: Application) => void;
  /** Reloads the app, when the outcome of a change is unknown. */
  readonly invalidate: () => void;
} {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  const all = businessKey(businessId, 'applications');
  return {
    store: (application) => {
      client.setQueryData([...all, application.id], application);
      void client.invalidateQueries({ queryKey: all, exact: true });
    },
    invalidate: () => void client.invalidateQueries({ queryKey: [...all, applicationId], exact: true }),
  };
}

/** A client secret with all but its last four characters hidden. */
export const secretHint = ({ lastFour }: ClientSecret): string => `cs_…${lastFour}`;

/** Milliseconds after its last use in which a secret counts as in use. */
const recentMs = 7 * 86_400_000;

/** Whether a secret was used in the last 7 days. `now` in ms since 1970. */
export function wasUsedRecently({ lastUsedAt }: ClientSecret, now: number): boolean {
  return lastUsedAt !== null && now - Date.parse(lastUsedAt) < recentMs;
}
