import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import type { Scope } from '../../api/session.ts';
import { useStayDuring } from '../../components/stay.ts';
import { toast, toastError, toastPropagation, toastWithUndo } from '../../components/toast.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';
import { nonBlankRows } from '../apps/form-values.ts';
import { type ApiKeyDetail, fetchApiKey, unusedScopes, usedScopes, useRefreshApiKeys } from './api.ts';
import type { KeyFormValues, KeySettings } from './form-values.ts';

type NewKey = components['schemas']['ApiKeyRecord'];

interface CreatedKey {
  readonly apiKey: NewKey;
  readonly keyString: string;
}

interface CreateKey {
  readonly mutation: UseMutationResult<CreatedKey, Error, Creation>;
  /** Creates the key; ignored while a request is pending or after it succeeded. */
  readonly create: (creation: Creation) => void;
}

interface Creation {
  readonly values: KeyFormValues;
  /** In ms since 1970; null for never. */
  readonly expiresAt: number | null;
}

export function useCreateKey(onError: (error: Error) => void): CreateKey {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshApiKeys();
  const isSent = useRef(false);
  const mutation = useMutation({
    mutationFn: ({ values, expiresAt }: Creation) => {
      const { lifetime, date, ...body } = values;
      return unwrap(
        api.POST('/businesses/{businessId}/api-keys', {
          params: { path: { businessId } },
          body: {
            ...body,
            scopes: body.keyType === 'restricted' ? body.scopes : [],
            ipWhitelist: nonBlankRows(body.ipWhitelist),
            expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
          },
        }),
      );
    },
    // Not awaited: the new key string is shown even if the list cannot be reloaded.
    onSuccess: () => void refresh(),
    onError: (error) => {
      isSent.current = false;
      onError(error);
    },
  });
  useStayDuring(mutation.isPending);
  const create = (creation: Creation) => {
    if (isSent.current) return;
    isSent.current = true;
    mutation.mutate(creation);
  };
  return { mutation, create };
}

/** Changes a key; resolves after the reload. */
export function useUpdateKey(apiKeyId: string): UseMutationResult<unknown, Error, Partial<KeySettings>> {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshApiKeys();
  return useMutation({
    mutationFn: (body: Partial<KeySettings>) =>
      unwrap(
        api.PATCH('/businesses/{businessId}/api-keys/{apiKeyId}', {
          params: { path: { businessId, apiKeyId } },
          body,
        }),
      ),
    onSuccess: ({ propagation }) => {
      toastPropagation(propagation);
      return refresh();
    },
  });
}

/** Sets the limit of a key; resolves after the reload. */
export function useSetLimit(apiKeyId: string): UseMutationResult<unknown, Error, number> {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshApiKeys();
  return useMutation({
    mutationFn: (limit: number) =>
      unwrap(
        api.PUT('/businesses/{businessId}/api-keys/{apiKeyId}/limit', {
          params: { path: { businessId, apiKeyId } },
          body: { limit },
        }),
      ),
    onSuccess: ({ propagation }) => {
      toastPropagation(propagation);
      return refresh();
    },
  });
}

/** The unused scopes changed since they were shown. */
export class ScopeUseChanged extends Error {
  override readonly name = 'ScopeUseChanged';
}

/** Removes the unused scopes of a key, with undo where the person may give them to the key again. */
export function useRemoveUnusedScopes(
  apiKey: ApiKeyDetail,
  { mayUndo }: { readonly mayUndo: boolean },
): UseMutationResult<void, Error, void> {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  const update = useUpdateKey(apiKey.id);
  const setScopes = (scopes: readonly Scope[]) => update.mutateAsync({ scopes: [...scopes] });
  const undo = () => {
    setScopes(apiKey.scopes).then(() => toast('Permissions restored.'), toastError);
  };
  return useMutation({
    mutationFn: async () => {
      const now = await fetchApiKey(businessId, apiKey.id);
      client.setQueryData(businessKey(businessId, 'api-keys', apiKey.id), now);
      if (String(unusedScopes(now)) !== String(unusedScopes(apiKey))) throw new ScopeUseChanged();
      await setScopes(usedScopes(now));
    },
    onSuccess: () => {
      const text = 'Unused permissions removed.';
      if (mayUndo) toastWithUndo(text, undo);
      else toast(text);
    },
  });
}
