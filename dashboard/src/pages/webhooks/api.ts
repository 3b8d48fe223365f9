import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import { useBusiness } from '../../shell/session-context.ts';
import type { Endpoint } from './health.ts';
import { useRefetchInterval, webhooksKey } from './live.tsx';

/** App whose endpoints are meant; undefined for those of the business itself. */
export interface EndpointOwner {
  readonly applicationId: string | undefined;
}

/** Settings of an endpoint, as the form has them. */
export interface EndpointValues {
  url: string;
  description: string;
  events: string[];
}

/** Owner and path parameters of requests. */
export function useOwner({ applicationId }: EndpointOwner) {
  const { id: businessId } = useBusiness();
  const owner = applicationId === undefined ? {} : { applicationId };
  return { businessId, owner, key: webhooksKey(businessId, applicationId) };
}

export interface Endpoints {
  /** False if webhooks are not part of this installation. */
  readonly installed: boolean;
  readonly endpoints: readonly Endpoint[];
  readonly limit: number;
}

/** All endpoints of an owner. */
export function useEndpoints(of: EndpointOwner): UseQueryResult<Endpoints> {
  const { businessId, owner, key } = useOwner(of);
  return useQuery({
    queryKey: [...key, 'endpoints'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/businesses/{businessId}/webhook-endpoints', {
          params: { path: { businessId }, query: owner },
          signal,
        }),
      ),
    staleTime: 0,
    refetchOnWindowFocus: true,
    refetchInterval: useRefetchInterval(),
  });
}

/** A change after which all lists of webhooks are reloaded, even if its outcome is unknown. */
export function useWebhookChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
): UseMutationResult<Output, Error, Input> {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => void client.invalidateQueries({ queryKey: businessKey(businessId, 'webhooks') }),
  });
}

/** Calls about one endpoint. */
export function useEndpointCalls(of: EndpointOwner) {
  const { businessId, owner: query } = useOwner(of);
  const at = (endpointId: string) => ({ params: { path: { businessId, endpointId }, query } });
  const one = '/businesses/{businessId}/webhook-endpoints/{endpointId}';
  return {
    create: (body: EndpointValues) =>
      unwrap(
        api.POST('/businesses/{businessId}/webhook-endpoints', {
          params: { path: { businessId }, query },
          body,
        }),
      ),
    update: (id: string, body: Partial<EndpointValues>) => unwrap(api.PATCH(one, { ...at(id), body })),
    remove: (id: string) => unwrap(api.DELETE(one, at(id))),
    enable: (id: string) => unwrap(api.POST(`${one}/enable`, at(id))),
    disable: (id: string) => unwrap(api.POST(`${one}/disable`, at(id))),
    rotate: (id: string, endOld: boolean) =>
      unwrap(api.POST(`${one}/secret`, { ...at(id), body: { endOld } })),
    reveal: (id: string, password: string) =>
      unwrap(api.POST(`${one}/secret/reveal`, { ...at(id), body: { password } })),
    test: (id: string, type: string) => unwrap(api.POST(`${one}/test`, { ...at(id), body: { type } })),
    check: (id: string) => unwrap(api.POST(`${one}/check`, at(id))),
    recover: (id: string, since: string) =>
      unwrap(api.POST(`${one}/recover`, { ...at(id), body: { since } })),
  };
}
