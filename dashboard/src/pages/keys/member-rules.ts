import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import type { components, operations } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';
import { type ApiKey, listFormat } from './api.ts';

/** Rules of a business for API keys of developers. */
export type MemberKeyRules = components['schemas']['MemberKeyRules'];

/** The rules of the business. */
export function useMemberKeyRules({ enabled = true } = {}): UseQueryResult<MemberKeyRules> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'member-key-rules'),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/businesses/{businessId}/member-key-rules', { params: { path: { businessId } }, signal }),
      ),
    enabled,
  });
}

/** The rules that apply to the person; undefined for owners, who may do everything, and until they are loaded. */
export function useOwnKeyRules(): MemberKeyRules | undefined {
  const { role } = useBusiness();
  const { data } = useMemberKeyRules({ enabled: role !== 'owner' });
  return role === 'owner' ? undefined : data;
}

/**
 * Describes why only owners may have a key, such as "secret keys" or "keys with orders:write". Undefined if the person may see
 * its string or give it these scopes.
 * @param rules as of `useOwnKeyRules`
 */
export function keptToOwners(
  rules: MemberKeyRules | undefined,
  { keyType, scopes }: Pick<ApiKey, 'keyType' | 'scopes'>,
): string | undefined {
  if (rules === undefined || rules.secretKeys) return undefined;
  if (keyType === 'secret') return 'secret keys';
  const beyond = scopes.filter((scope) => !rules.scopes.includes(scope));
  return beyond.length === 0 ? undefined : `keys with ${listFormat.format(beyond)}`;
}

/** A change of the rules. */
export type MemberKeyRulesChange =
  operations['updateMemberKeyRules']['requestBody']['content']['application/json'];

/**
 * The change that a person has made in a form. It lists added and removed scopes, so that changes by other owners survive.
 * @param initial rules with which the form began
 */
export function rulesChange(initial: MemberKeyRules, rules: MemberKeyRules): MemberKeyRulesChange {
  return {
    ...(rules.secretKeys !== initial.secretKeys && { secretKeys: rules.secretKeys }),
    addedScopes: rules.scopes.filter((scope) => !initial.scopes.includes(scope)),
    removedScopes: initial.scopes.filter((scope) => !rules.scopes.includes(scope)),
  };
}
