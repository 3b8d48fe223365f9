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

/** A registered application, an "app" in words. */
export type Application = Schemas['Application'];

export type ClientSecret = Schemas['ClientSecret'];

export type Connection = Schemas['Connection'];

export type AddressUse = Schemas['AddressUse'];

export type RegistrationObstacle = Schemas['RegistrationObstacle'];

export interface Applications {
  readonly applications: readonly Application[];
  /** Apps that a business may have. */
  readonly limit: number;
  /** What keeps the business from registering one more. */
  readonly obstacle: RegistrationObstacle | null;
}

/** The apps of the business. */
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

/** Businesses that are connected to an app, page by page. */
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

/** Addresses that an app called from lately. */
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

/** What is remembered of an app, after a change. */
export function useApplicationCache(applicationId?: string): {
  /** Puts the app as a change left it in the place of what is shown, and looks the list up again. */
  readonly store: (application: Application) => void;
  /** Looks the app up again, where it is not known what became of a change. */
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

export type WebhookEvent = components['schemas']['WebhookEvent'];

/** Every event, in plain words, by what it is about. */
export const webhookEvents: readonly {
  readonly about: string;
  readonly events: readonly { readonly event: WebhookEvent; readonly words: string }[];
}[] = [
  {
    about: 'Orders',
    events: [
      { event: 'order.created', words: 'An order was created' },
      { event: 'order.paid', words: 'An order was paid' },
      { event: 'order.fulfilled', words: 'An order was fulfilled' },
      { event: 'order.cancelled', words: 'An order was cancelled' },
      { event: 'order.updated', words: 'An order was changed otherwise' },
    ],
  },
  {
    about: 'The connected business',
    events: [
      { event: 'business.verification_submitted', words: 'It asked to be verified' },
      { event: 'business.verified', words: 'It was verified' },
      { event: 'business.verification_rejected', words: 'Its verification was rejected' },
      { event: 'business.banned', words: 'It was banned' },
      { event: 'business.unbanned', words: 'Its ban was lifted' },
    ],
  },
];

/** A client secret as far as it may be shown. */
export const secretHint = ({ lastFour }: ClientSecret): string => `cs_…${lastFour}`;

/** Milliseconds within which a secret counts as in use. */
const recentMs = 7 * 86_400_000;

/** Whether a secret was used lately. `now` is milliseconds since 1970. */
export function wasUsedRecently({ lastUsedAt }: ClientSecret, now: number): boolean {
  return lastUsedAt !== null && now - Date.parse(lastUsedAt) < recentMs;
}
