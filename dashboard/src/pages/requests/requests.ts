import {
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { useOldStrings } from '../../api/old-strings.ts';
import { businessKey, usePages } from '../../api/queries.ts';
import { type DateRange, parseDate, toTimeRange } from '../../components/date-range.ts';
import type { Propagation } from '../../components/toast.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';
import { useApplicationCache } from '../apps/api.ts';
import { type ApiKey, useApiKeys } from '../keys/api.ts';
import { everyKey } from '../keys/key-filter.ts';

/** Error reasons of the filter, in the words of the rows. */
export const reasons = [
  { reason: 'insufficient_scope', label: 'A scope is missing' },
  { reason: 'rate_limited', label: 'Rate limit reached' },
  { reason: 'expired', label: 'The key or token has expired' },
  { reason: 'ip_not_allowed', label: 'The address is not allowed' },
  { reason: 'business_frozen', label: 'API access is frozen' },
  { reason: 'application_suspended', label: 'The app is suspended' },
  { reason: 'connection_suspended', label: 'The connection is suspended' },
  { reason: 'plain_http', label: 'Sent over http' },
  { reason: 'no_route', label: 'No such path' },
  { reason: 'method', label: 'The method is not allowed here' },
  { reason: 'invalid_request', label: 'The request is invalid (400)' },
  { reason: 'invalid_json', label: 'The body is not valid JSON' },
  { reason: 'invalid_query', label: 'A query parameter is not valid' },
  { reason: 'invalid_body', label: 'A field is missing or not valid' },
  { reason: 'invalid_header', label: 'A header is not valid' },
  { reason: 'body_too_large', label: 'The body is too large' },
  { reason: 'unsupported_media_type', label: 'The body is not JSON' },
  { reason: 'not_found', label: 'Not found (404)' },
  { reason: 'conflict', label: 'Conflict with the current state' },
  { reason: 'precondition_failed', label: 'The record has changed' },
  { reason: 'upstream_timeout', label: 'The service did not respond in time' },
  { reason: 'upstream_failed', label: 'The service did not respond' },
  { reason: 'upstream_saturated', label: 'The service was busy' },
  { reason: 'client_secret_wrong', label: 'OAuth: Wrong client secret' },
  { reason: 'client_address', label: 'OAuth: The address is not on the whitelist' },
  { reason: 'oauth_parameters', label: 'OAuth: A parameter is missing or malformed' },
  { reason: 'code_unknown', label: 'OAuth: The code does not exist' },
  { reason: 'code_expired', label: 'OAuth: The code has expired' },
  { reason: 'code_used', label: 'OAuth: The code was used before' },
  { reason: 'code_verifier', label: 'OAuth: Wrong code verifier' },
  { reason: 'refresh_unknown', label: 'OAuth: The refresh token does not exist' },
  { reason: 'refresh_repeated', label: 'OAuth: The refresh token was used a moment ago' },
  { reason: 'refresh_reused', label: 'OAuth: The refresh token was used before' },
  { reason: 'redirect_uri_unknown', label: 'OAuth: The redirect URI is not registered' },
  { reason: 'approval_denied', label: 'OAuth: The business cannot be connected' },
  { reason: 'approval_needs_page', label: 'OAuth: The request needs a page' },
  { reason: 'approval_second_factor', label: 'OAuth: The person has no second factor' },
] as const;

type Reason = (typeof reasons)[number]['reason'];

/** Filter of failed requests; undefined matches everything. */
export interface RequestFilter extends DateRange {
  readonly status: '4xx' | '5xx' | undefined;
  readonly reason: Reason | undefined;
  /** Id of an API key, a connection or an own app. */
  readonly credential: string | undefined;
}

/** The filter in URL parameters; invalid ones are ignored. */
export function parseFilter(parameters: URLSearchParams): RequestFilter {
  const status = parameters.get('status');
  const credential = parameters.get('credential') ?? '';
  return {
    status: status === '4xx' || status === '5xx' ? status : undefined,
    reason: reasons.find(({ reason }) => reason === parameters.get('reason'))?.reason,
    credential: /^[\w-]{1,64}$/.test(credential) ? credential : undefined,
    from: parseDate(parameters.get('from')),
    to: parseDate(parameters.get('to')),
  };
}

/** URL parameters for `parseFilter`. */
export function serializeFilter(filter: RequestFilter): URLSearchParams {
  return new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** Query parameters of the API. */
export function toQuery({ status, reason, credential, ...days }: RequestFilter) {
  return {
    ...(status !== undefined && { status }),
    ...(reason !== undefined && { reason }),
    ...(credential !== undefined && { credential }),
    ...toTimeRange(days),
  };
}

/** Whether any filter is set. */
export function isFiltered(filter: RequestFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

type Schemas = components['schemas'];

export type ApiRequest = Schemas['ApiRequest'];

export type ApiRequestDetail = Schemas['ApiRequestDetail'];

export type RequestCheck = Schemas['RequestCheck'];

/** Failed requests (4xx and 5xx), newest first, paginated. */
export function useRequests(filter: RequestFilter): UseInfiniteQueryResult<readonly ApiRequest[]> {
  const { id: businessId } = useBusiness();
  return usePages(
    businessKey(businessId, 'requests', filter),
    (page, signal) => {
      const params = { path: { businessId }, query: { ...toQuery(filter), ...page } };
      return unwrap(api.GET('/businesses/{businessId}/requests', { params, signal }));
    },
    ({ requests }) => requests,
  );
}

/** One request by its X-Request-Id. */
export function useRequest(requestId: string): UseQueryResult<ApiRequestDetail> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'requests', 'one', requestId),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/businesses/{businessId}/requests/{requestId}', {
          params: { path: { businessId, requestId } },
          signal,
        }),
      ),
  });
}

/** Adds an address that was refused to the whitelist of an own app. */
export function useAllowAddress({
  applicationId,
  address,
}: NonNullable<Schemas['MissingAddress']>): UseMutationResult<Propagation, Error, void> {
  const { id: businessId } = useBusiness();
  const { store } = useApplicationCache(applicationId);
  return useMutation({
    mutationFn: async () => {
      const params = { path: { businessId, applicationId } };
      const body = { address };
      const { application, propagation } = await unwrap(
        api.POST('/businesses/{businessId}/applications/{applicationId}/whitelist', { params, body }),
      );
      store(application);
      return propagation;
    },
  });
}

const pattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** The X-Request-Id in typed or pasted text, such as a whole header line. */
export function findRequestId(text: string): string | undefined {
  return pattern.exec(text)?.[0].toLowerCase();
}

/** Connections of a business from a page on. */
async function fetchConnections(
  businessId: string,
  signal: AbortSignal,
  cursor?: string,
): Promise<readonly Schemas['ConnectedApp'][]> {
  const params = { path: { businessId }, query: cursor === undefined ? {} : { cursor } };
  const page = await unwrap(api.GET('/businesses/{businessId}/connections', { params, signal }));
  if (page.nextCursor === null) return page.connections;
  return [...page.connections, ...(await fetchConnections(businessId, signal, page.nextCursor))];
}

interface Option {
  readonly value: string;
  readonly label: string;
}

const keyOption = ({ id, name, lastFour }: Pick<ApiKey, 'id' | 'name' | 'lastFour'>): Option => ({
  value: id,
  label: `${name} (…${lastFour})`,
});

/**
 * API keys (those that a search finds if there are many), connected apps and own apps, and those that are gone: a selected one,
 * and any that are still called.
 */
export function useCredentialOptions(
  selected: string | undefined,
  search: string,
): readonly { readonly group: string; readonly items: Option[] }[] {
  const { id: businessId } = useBusiness();
  const { data } = useQuery({
    queryKey: businessKey(businessId, 'requests', 'credentials'),
    queryFn: async ({ signal }) => {
      const params = { path: { businessId } };
      const [{ apiKeys, complete }, connections, { applications }] = await Promise.all([
        unwrap(api.GET('/businesses/{businessId}/api-keys', { params, signal })),
        fetchConnections(businessId, signal),
        unwrap(api.GET('/businesses/{businessId}/applications', { params, signal })),
      ]);
      return {
        complete,
        own: applications.map(({ id, name }) => ({ value: id, label: name })),
        keys: apiKeys.map(keyOption),
        apps: connections.map(({ id, application }) => ({ value: id, label: application.name })),
      };
    },
  });
  const { keys: newest = [], complete = true, apps = [], own = [] } = data ?? {};
  const isSearched = !complete && search.trim() !== '';
  const { query } = useApiKeys({ ...everyKey, text: search }, { enabled: isSearched });
  const found = query.data?.apiKeys.map(keyOption) ?? [];
  const keys = [...new Map([...newest, ...found].map((option) => [option.value, option])).values()];
  const ended = useOldStrings().data?.filter(({ caller }) => !caller.exists) ?? [];
  const names = ended.map(({ limitId, caller }) => ({ value: limitId, label: caller.name ?? limitId }));
  const gone = [...new Map(names.map((option) => [option.value, option])).values()];
  const isListed = [...keys, ...apps, ...own, ...gone].some(({ value }) => value === selected);
  const removed = selected === undefined || isListed ? gone : [...gone, { value: selected, label: selected }];
  return [
    { group: 'API keys', items: keys },
    { group: 'Connected apps', items: apps },
    { group: 'OAuth requests of your apps', items: own },
    { group: 'No longer exists', items: removed },
  ].filter(({ items }) => items.length > 0);
}
