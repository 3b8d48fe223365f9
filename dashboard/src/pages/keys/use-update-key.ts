import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import type { Scope } from '../../api/scopes.ts';
import { toastPropagation } from '../../parts/toast.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { useRefreshApiKeys } from './api-keys.ts';

/** What may be changed of a key; what is absent stays. Scopes are named only to be changed: gateways are told then. */
export interface KeyChanges {
  readonly name?: string;
  readonly description?: string;
  readonly scopes?: readonly Scope[];
}

/** Changes a key. Resolves once the page shows it. */
export function useUpdateKey(apiKeyId: string): UseMutationResult<unknown, Error, KeyChanges> {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshApiKeys();
  return useMutation({
    mutationFn: ({ scopes, ...texts }: KeyChanges) =>
      answerOf(
        api.PATCH('/businesses/{businessId}/api-keys/{apiKeyId}', {
          params: { path: { businessId, apiKeyId } },
          body: { ...texts, ...(scopes !== undefined && { scopes: [...scopes] }) },
        }),
      ),
    onSuccess: ({ propagation }) => {
      toastPropagation(propagation);
      return refresh();
    },
  });
}
