import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import type { components, operations } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';
import { type RequestFilter, requestsPath } from '../requests/filter.ts';

/** The effect that a change would have had in the last 7 days. */
export type Forecast = components['schemas']['Forecast'];

type Body<Id extends 'forecastApiKey' | 'forecastApplication' | 'forecastConnection'> =
  operations[Id]['requestBody']['content']['application/json'];

/** A change, before it is made. */
export type ForecastedChange =
  | { readonly apiKeyId: string; readonly change: Body<'forecastApiKey'> }
  | { readonly apiKeyId: string; readonly limit: number }
  | { readonly applicationId: string; readonly change: Body<'forecastApplication'> }
  | { readonly grantId: string; readonly change: Body<'forecastConnection'>['change'] }
  | { readonly businessFrozen: true };

/** Milliseconds without an edit before the change is forecasted. */
const debounceMs = 400;

/** Forecasts a change while it is edited. Keeps the last forecast until the next arrives. */
export function useForecast(forecasted: ForecastedChange): UseQueryResult<Forecast> {
  const { id: businessId } = useBusiness();
  // As text, because it is a new object at each rendering.
  const [debounced] = useDebouncedValue(JSON.stringify(forecasted), debounceMs);
  return useQuery({
    queryKey: businessKey(businessId, 'forecast', debounced),
    queryFn: ({ signal }) => fetchForecast(businessId, JSON.parse(debounced), signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

function fetchForecast(
  businessId: string,
  forecasted: ForecastedChange,
  signal: AbortSignal,
): Promise<Forecast> {
  if ('limit' in forecasted) {
    const { apiKeyId, limit } = forecasted;
    const params = { path: { businessId, apiKeyId } };
    const path = '/businesses/{businessId}/api-keys/{apiKeyId}/limit/forecast';
    return unwrap(api.POST(path, { params, body: { limit }, signal }));
  }
  if ('apiKeyId' in forecasted) {
    const { apiKeyId, change: body } = forecasted;
    const params = { path: { businessId, apiKeyId } };
    return unwrap(
      api.POST('/businesses/{businessId}/api-keys/{apiKeyId}/forecast', { params, body, signal }),
    );
  }
  if ('applicationId' in forecasted) {
    const { applicationId, change: body } = forecasted;
    const params = { path: { businessId, applicationId } };
    const path = '/businesses/{businessId}/applications/{applicationId}/forecast';
    return unwrap(api.POST(path, { params, body, signal }));
  }
  if ('businessFrozen' in forecasted) {
    return unwrap(
      api.POST('/businesses/{businessId}/freeze/forecast', { params: { path: { businessId } }, signal }),
    );
  }
  const { grantId, change } = forecasted;
  const params = { path: { businessId, grantId } };
  const path = '/businesses/{businessId}/connections/{grantId}/forecast';
  return unwrap(api.POST(path, { params, body: { change }, signal }));
}

/**
 * The list of requests that a forecast is about, as narrow as its filter can be. Undefined for an application: the requests
 * are those of the businesses that connected it.
 */
export function refusedPath(forecasted: ForecastedChange, forecast: Forecast): string | undefined {
  if ('applicationId' in forecasted) return undefined;
  const [address] = forecast.addresses;
  const [endpoint] = forecast.endpoints;
  const filter: Partial<RequestFilter> = {
    span: '7d',
    credential: limitIdOf(forecasted),
    ...(forecast.addressCount === 1 && address !== undefined && { address: address.address }),
    ...(forecast.endpoints.length === 1 &&
      endpoint !== undefined && { method: endpoint.method, route: endpoint.route ?? 'none' }),
  };
  return requestsPath(filter);
}

function limitIdOf(forecasted: ForecastedChange): string | undefined {
  if ('apiKeyId' in forecasted) return forecasted.apiKeyId;
  return 'grantId' in forecasted ? forecasted.grantId : undefined;
}
