import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import createClient from 'openapi-fetch';
import { pageRequests } from '../api/client.ts';
import type { components, paths } from '../generated/operators-api.d.ts';

/** Client of the operators' API, typed by its OpenAPI document. */
export const operatorsApi = createClient<paths>({
  baseUrl: '/operators/api/v1',
  credentials: 'same-origin',
});

operatorsApi.use(pageRequests);

type Schemas = components['schemas'];

export type Business = Schemas['Business'];

export type BanProposal = Schemas['BanProposal'];

export type Key = Schemas['ApiKey'];

export type LimitRequest = Schemas['LimitRequest'];

/** Name of the business of something that is pending. */
export const nameOf = ({ businessName, businessId }: LimitRequest | BanProposal): string =>
  businessName ?? `Business ${businessId}`;

/** A business with all that its page shows. */
export type BusinessView =
  paths['/businesses/{businessId}']['get']['responses'][200]['content']['application/json'];

/** Key of every query of the console. */
export const consoleKey = (...parts: readonly unknown[]): QueryKey => ['operators', ...parts];

/** Fetches again, after a change, what the console shows. */
export function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: consoleKey() });
}
