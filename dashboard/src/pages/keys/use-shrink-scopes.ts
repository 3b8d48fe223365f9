import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { businessKey } from '../../api/business-key.ts';
import type { Scope } from '../../api/scopes.ts';
import { toast, toastError, toastWithUndo } from '../../parts/toast.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { type ApiKeyDetail, fetchApiKey } from './api-keys.ts';
import { spareScopes, usedScopes } from './scope-use.ts';
import { useUpdateKey } from './use-update-key.ts';

/** Something was used meanwhile that was about to be taken away. */
export class UsedMeanwhile extends Error {
  override readonly name = 'UsedMeanwhile';
}

/** Leaves a key the scopes that were really used, and offers to take that back. */
export function useShrinkScopes(apiKey: ApiKeyDetail): UseMutationResult<void, Error, void> {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  const update = useUpdateKey(apiKey.id);
  const setScopes = (scopes: readonly Scope[]) => update.mutateAsync({ scopes });
  const undo = () => {
    setScopes(apiKey.scopes).then(
      () => toast('The key may do everything again that it could before.'),
      toastError,
    );
  };
  return useMutation({
    mutationFn: async () => {
      const now = await fetchApiKey(businessId, apiKey.id);
      client.setQueryData(businessKey(businessId, 'api-keys', apiKey.id), now);
      if (String(spareScopes(now)) !== String(spareScopes(apiKey))) throw new UsedMeanwhile();
      await setScopes(usedScopes(now));
    },
    onSuccess: () => toastWithUndo('The key keeps only what it uses.', undo),
  });
}
